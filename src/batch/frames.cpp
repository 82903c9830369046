#include "batch/frames.h"

#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string_view>

// A frame is its length (32 bits) and texts, each with a zero byte behind it: they are arguments
// of programs, which have none. Both sides are this program on this machine.
//
// What is no frame counts as an end of the other side. A worker that gets one ends, and one that
// sends one is counted as crashed, so neither waits for bytes that never come.

namespace kitbag::batch {
namespace {

constexpr std::uint32_t kMostBytes = 1 << 24;

bool send_all(int socket, std::string_view bytes) {
  while (!bytes.empty()) {
    // A worker may have died. That is an answer here, and must not end this process by SIGPIPE.
    ssize_t count = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

bool receive_all(int socket, char* into, std::size_t size) {
  while (size > 0) {
    ssize_t count = ::recv(socket, into, size, 0);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    into += count;
    size -= static_cast<std::size_t>(count);
  }
  return true;
}

}  // namespace

bool send_frame(int socket, const std::vector<std::string>& texts) {
  std::string frame(sizeof(std::uint32_t), '\0');
  for (const std::string& text : texts) frame.append(text.c_str(), text.size() + 1);
  auto length = static_cast<std::uint32_t>(frame.size() - sizeof(std::uint32_t));
  std::memcpy(frame.data(), &length, sizeof length);
  return length <= kMostBytes && send_all(socket, frame);
}

std::optional<std::vector<std::string>> receive_frame(int socket) {
  std::array<char, sizeof(std::uint32_t)> head{};
  if (!receive_all(socket, head.data(), head.size())) return std::nullopt;
  std::uint32_t length = 0;
  std::memcpy(&length, head.data(), sizeof length);
  if (length > kMostBytes) return std::nullopt;
  std::string bytes(length, '\0');
  if (!receive_all(socket, bytes.data(), bytes.size())) return std::nullopt;
  std::vector<std::string> texts;
  for (std::string_view rest = bytes; !rest.empty();) {
    std::size_t end = rest.find('\0');
    if (end == std::string_view::npos) return std::nullopt;
    texts.emplace_back(rest.substr(0, end));
    rest.remove_prefix(end + 1);
  }
  return texts;
}

}  // namespace kitbag::batch
