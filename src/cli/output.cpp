#include "output.h"

#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "kitbag/error.h"

namespace kitbag::cli {
namespace {

constexpr std::size_t kOutputBytes = 256 * 1024;

}  // namespace

Output::Output(int descriptor, std::string name)
    : descriptor_(descriptor), name_(std::move(name)), is_terminal_(isatty(descriptor) == 1) {}

void Output::write(std::string_view text) {
  if (buffer_.size() + text.size() > kOutputBytes) flush();
  if (text.size() >= kOutputBytes) {
    write_through(text);
  } else {
    buffer_ += text;
  }
}

void Output::flush() {
  std::string waiting = std::exchange(buffer_, {});  // after a failure they are not tried again
  write_through(waiting);
  waiting.clear();
  buffer_ = std::move(waiting);  // the same memory again
}

void Output::write_through(std::string_view text) {
  while (!text.empty()) {
    ssize_t written = ::write(descriptor_, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      throw Error(ErrorCode::io, "cannot be written: " + std::generic_category().message(errno),
                  name_);
    }
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace kitbag::cli
