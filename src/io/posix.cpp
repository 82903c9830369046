#include "io/posix.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

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

std::string errno_text(int number) {
  std::string text = std::generic_category().message(number);
  if (!text.empty()) text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
  return text;
}

Error system_error(const std::string& what, int number, const std::string& path,
                   std::uint64_t offset) {
  ErrorCode code = number == ENOENT ? ErrorCode::not_found : ErrorCode::io;
  return {code, fmt::format("cannot {}: {}", what, errno_text(number)), path, offset};
}

}  // namespace kitbag
