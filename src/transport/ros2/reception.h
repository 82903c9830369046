#pragma once

#include <cstddef>
#include <set>
#include <string>

namespace kitbag::ros2 {

/// Sees to it that what comes over the network is taken from the system in time: what does not fit
/// into a socket's buffer is lost, and nobody tells. It knows the sockets and threads of DDS by
/// those that the process did not have before.
class Reception {
 public:
  /// Notes what is there. DDS begins next. `is_chosen`: the user has chosen the size of buffers.
  explicit Reception(bool is_chosen);

  /// Lets the new threads that receive go first, where this process may, and makes the buffers of
  /// the new UDP sockets large, unless their size is chosen. To be called again: threads tell their
  /// names when they have begun.
  void prepare();

  /// What there is to tell a user of the size of the buffers; or "".
  std::string warning() const;

 private:
  bool is_chosen_;
  std::set<int> sockets_;          ///< that are not those of DDS
  std::set<int> threads_;          ///< likewise
  std::size_t least_granted_ = 0;  ///< bytes of the smallest buffer; 0: there is none
};

/// Lets this thread go before others, but behind those that receive, where the process may do that.
void hurry_this_thread();

/// What there is to tell of a buffer for which the system gave `granted_bytes`; or "".
std::string buffer_warning(std::size_t granted_bytes);

}  // namespace kitbag::ros2
