#pragma once

#include <kitbag/error.h>
#include <kitbag/registry.h>
#include <sys/socket.h>

#include <cstddef>
#include <string>

namespace udp {

/// The largest payload of a datagram: 64 KiB less the headers of IPv4 and UDP.
constexpr std::size_t kMostDatagram = 65'507;

/// A file descriptor, closed with its owner.
class File {
 public:
  explicit File(int descriptor = -1) : descriptor_(descriptor) {}
  ~File();
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  int get() const { return descriptor_; }

 private:
  int descriptor_;
};

/// What is done with an address: parameters that say something of messages received are refused
/// where messages are sent.
enum class Way { listen, publish };

/// What "udp://HOST:PORT?topic=/radar&encoding=json&max_bytes=1500" says.
struct Settings {
  std::string uri;
  std::string host;  ///< empty, to listen: any address of this machine
  std::string port;
  std::string topic = "/udp";
  std::string encoding = "bytes";
  std::size_t max_bytes = kMostDatagram;  ///< larger datagrams are left out

  /// Throws kitbag::Error (invalid).
  static Settings of(const kitbag::Location& location, Way way);
};

/// Where datagrams go or come from.
struct Address {
  sockaddr_storage storage{};
  socklen_t size = 0;

  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }
  int family() const { return storage.ss_family; }
};

/// Throws kitbag::Error (not_found).
Address resolve(const Settings& settings, Way way);

/// What the system has refused last, as an Error (io).
kitbag::Error system_error(const std::string& what, const std::string& uri);

}  // namespace udp
