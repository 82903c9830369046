#include "transport/ros2/reception.h"

#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <string_view>

// UDP loses a datagram when the buffer of its socket is full, and tells nobody. DDS asks for large
// buffers by configuration (settings.cpp), but the system cuts such a request at net.core.rmem_max.
// SO_RCVBUFFORCE goes beyond it for a process that has CAP_NET_ADMIN, so the sockets are found in
// /proc/self/fd and enlarged from outside. Linux reports twice the size that was set, since it
// counts its own bookkeeping.
//
// Receiving threads are found by their names, which begin with "recv", and get a better nice value.
// On Linux setpriority() with a thread's number applies to that thread alone. That it may be
// refused is no error: everything works, with less reserve.

namespace kitbag::ros2 {

namespace {

namespace fs = std::filesystem;

/// What arrives while the receiving thread waits for a processor: a tenth of a second of 300 MB/s.
constexpr int kWantedBytes = 32 << 20;
/// Some hundredths of a second of a camera or two.
constexpr std::size_t kSmallBytes = 4 << 20;

/// The numbers that name entries of a folder of /proc.
std::set<int> numbers_in(const char* folder) {
  std::set<int> numbers;
  std::error_code error;
  fs::directory_iterator end;
  for (fs::directory_iterator it(folder, error); !error && it != end; it.increment(error)) {
    std::string name = it->path().filename();
    int number = 0;
    auto [rest, fault] = std::from_chars(name.data(), name.data() + name.size(), number);
    if (fault == std::errc() && rest == name.data() + name.size()) numbers.insert(number);
  }
  return numbers;
}

int option_of(int socket, int option) {
  int value = 0;
  socklen_t size = sizeof value;
  return getsockopt(socket, SOL_SOCKET, option, &value, &size) == 0 ? value : -1;
}

bool is_udp(int socket) {
  int domain = option_of(socket, SO_DOMAIN);
  return option_of(socket, SO_TYPE) == SOCK_DGRAM && (domain == AF_INET || domain == AF_INET6);
}

/// Those that are open now, and not what was open to list them.
std::set<int> udp_sockets() {
  std::set<int> sockets = numbers_in("/proc/self/fd");
  std::erase_if(sockets, [](int socket) { return !is_udp(socket); });
  return sockets;
}

/// As Linux counts, which is twice what was asked for.
std::size_t granted_to(int socket) {
  return static_cast<std::size_t>(std::max(option_of(socket, SO_RCVBUF), 0));
}

void enlarge(int socket) {
  if (granted_to(socket) >= 2 * std::size_t{kWantedBytes}) return;
  // Root may have more than net.core.rmem_max.
  if (setsockopt(socket, SOL_SOCKET, SO_RCVBUFFORCE, &kWantedBytes, sizeof kWantedBytes) == 0) {
    return;
  }
  setsockopt(socket, SOL_SOCKET, SO_RCVBUF, &kWantedBytes, sizeof kWantedBytes);
}

bool receives(int thread) {
  std::ifstream file("/proc/self/task/" + std::to_string(thread) + "/comm");
  std::string name;
  std::getline(file, name);
  return name.starts_with("recv");
}

void let_go_first(int thread) {
  constexpr int kNice = -15;
  setpriority(PRIO_PROCESS, static_cast<id_t>(thread), kNice);  // may be refused
}

}  // namespace

void hurry_this_thread() {
  constexpr int kNice = -10;
  setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), kNice);
}

Reception::Reception(bool is_chosen)
    : is_chosen_(is_chosen), sockets_(udp_sockets()), threads_(numbers_in("/proc/self/task")) {}

void Reception::prepare() {
  least_granted_ = 0;
  for (int socket : udp_sockets()) {
    if (sockets_.contains(socket)) continue;
    if (!is_chosen_) enlarge(socket);
    std::size_t granted = granted_to(socket);
    least_granted_ = least_granted_ == 0 ? granted : std::min(least_granted_, granted);
  }
  for (int thread : numbers_in("/proc/self/task")) {
    if (!threads_.contains(thread) && receives(thread)) let_go_first(thread);
  }
}

std::string Reception::warning() const {
  return least_granted_ == 0 ? std::string() : buffer_warning(least_granted_);
}

std::string buffer_warning(std::size_t granted_bytes) {
  std::size_t usable = granted_bytes / 2;
  if (usable >= kSmallBytes) return {};
  return "the system limits the buffer for network data to " + std::to_string(usable >> 10) +
         " KiB, so messages may be lost under high load; raise the limit with: sudo sysctl -w "
         "net.core.rmem_max=" +
         std::to_string(kWantedBytes);
}

}  // namespace kitbag::ros2
