#include "io/posix.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <system_error>

namespace kitbag {

Descriptor::~Descriptor() {
  close();
}

int Descriptor::close() {
  int number = std::exchange(number_, -1);
  // After EINTR the descriptor is closed all the same on Linux.
  if (number < 0 || ::close(number) == 0 || errno == EINTR) return 0;
  return errno;
}

Descriptor open_descriptor(const std::string& path, int flags, unsigned mode) {
  while (true) {
    int number = ::open(path.c_str(), flags | O_CLOEXEC, mode);
    if (number >= 0 || errno != EINTR) return Descriptor(number);
  }
}

std::size_t read_at(int file, std::uint64_t offset, std::span<std::byte> into,
                    const std::string& path) {
  std::size_t done = 0;
  while (done < into.size()) {
    std::uint64_t at = offset + done;
    ssize_t count = ::pread(file, into.data() + done, into.size() - done, static_cast<off_t>(at));
    if (count == 0) break;
    if (count > 0) {
      done += static_cast<std::size_t>(count);
    } else if (errno != EINTR) {
      throw system_error("read", errno, path, at);
    }
  }
  return done;
}

std::size_t read_at_once(int file, std::uint64_t offset, std::span<std::byte> into) {
  iovec piece = {into.data(), into.size()};
  ssize_t count = ::preadv2(file, &piece, 1, static_cast<off_t>(offset), RWF_NOWAIT);
  return count > 0 ? static_cast<std::size_t>(count) : 0;
}

int write_at(int file, std::uint64_t offset, ByteView bytes) {
  while (!bytes.empty()) {
    ssize_t count = ::pwrite(file, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return count < 0 ? errno : EIO;
    bytes = bytes.subspan(static_cast<std::size_t>(count));
    offset += static_cast<std::uint64_t>(count);
  }
  return 0;
}

/// F_SETFL sets all flags anew, so O_NONBLOCK ends; for a regular file it means nothing.
int set_direct(int file, bool is_direct) {
  return ::fcntl(file, F_SETFL, is_direct ? O_DIRECT : 0) == 0 ? 0 : errno;
}

std::uint64_t file_size_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_FSIZE, &limit) != 0) return INT64_MAX;
  return std::min<std::uint64_t>(limit.rlim_cur, INT64_MAX);
}

std::string errno_text(int number) {
  std::string text = std::generic_category().message(number);
  if (!text.empty()) text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
  return text;
}

SystemError system_error(const std::string& what, int number, const std::string& path,
                         std::uint64_t offset) {
  ErrorCode code = number == ENOENT ? ErrorCode::not_found : ErrorCode::io;
  const char* remedy = number == EMFILE ? "; raise the limit with ulimit -n" : "";
  std::string text = fmt::format("cannot {}: {}{}", what, errno_text(number), remedy);
  return {Error(code, text, path, offset), number};
}

}  // namespace kitbag
