#pragma once

#include <cstddef>
#include <set>
#include <string>

namespace kitbag::ros2 {

/// Ensures that what comes over the network is taken from the system in time: what does not fit
/// into a socket's buffer is lost without notice. It identifies the sockets and threads of DDS as
/// those that the process did not have before.
class Reception {
 public:
  /// Notes what is there. DDS begins next. `is_chosen`: the user has chosen the size of buffers.
  explicit Reception(bool is_chosen);

  /// Gives priority to new receiving threads, if this process may, and makes the buffers of the new
  /// UDP sockets large, unless their size is configured. To be called again: threads set their
  /// names when they have begun.
  void prepare();

  /// A warning about the size of the buffers; or "".
  std::string warning() const;

 private:
  bool is_chosen_;
  std::set<int> sockets_;          ///< that are not those of DDS
  std::set<int> threads_;          ///< the same
  std::size_t least_granted_ = 0;  ///< bytes of the smallest buffer; 0: there is none
};

/// Lets this thread go before others, but behind those that receive, where the process may do that.
void hurry_this_thread();

/// A warning about a buffer for which the system gave `granted_bytes`; or "".
std::string buffer_warning(std::size_t granted_bytes);

}  // namespace kitbag::ros2
