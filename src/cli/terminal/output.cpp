#include "cli/terminal/output.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <system_error>

#include "kitbag/error.h"
#include "kitbag/system_error.h"

// Two kinds of output. The content of a bag must be complete: a failed write is an error, and a
// slow reader is waited for. A status accompanies work that must go on: a recorder must not stop
// because the terminal is suspended (Ctrl-S) or `less` waits for a key.
//
// A live status is written only as far as the reader takes it at once; poll() says when, and pieces
// of PIPE_BUF are then taken without waiting, also though the descriptor blocks. The descriptor is
// not made non-blocking: that is a property of the open file, which a shell shares with us.

namespace kitbag::cli {
namespace {

constexpr std::size_t kOutputBytes = 256 * 1024;

}  // namespace

Output::Output(int descriptor, std::string name)
    : descriptor_(descriptor), name_(std::move(name)), is_terminal_(isatty(descriptor) == 1) {}

void Output::write(std::string_view text) {
  // Live: what is left of the text before goes first, and where it cannot there is no room for
  // more.
  if (is_live_ && !buffer_.empty()) flush();
  if (is_live_ && !buffer_.empty()) return;
  if (buffer_.size() + text.size() > kOutputBytes) flush();
  if (text.size() >= kOutputBytes && !is_live_) {
    write_through(text);
  } else {
    buffer_ += text;
  }
}

void Output::flush() {
  std::string waiting = std::exchange(buffer_, {});  // after a failure they are not tried again
  if (is_live_) {
    buffer_ = write_some(waiting);
    return;
  }
  write_through(waiting);
  waiting.clear();
  buffer_ = std::move(waiting);  // the same memory again
}

void Output::make_live_status() {
  is_status_ = true;
  is_live_ = true;
}

void Output::finish() {
  flush();
  if (failure_) throw Error(*failure_);
}

void Output::write_through(std::string_view text) {
  while (!text.empty()) {
    ssize_t written = ::write(descriptor_, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return fail(errno);
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

std::string_view Output::write_some(std::string_view text) {
  while (!text.empty()) {
    // A pipe that can be written to takes PIPE_BUF bytes at least without waiting.
    pollfd polled = {descriptor_, POLLOUT, 0};
    if (::poll(&polled, 1, 0) <= 0) return text;
    ssize_t written =
        ::write(descriptor_, text.data(), std::min<std::size_t>(text.size(), PIPE_BUF));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return fail(errno), std::string_view();
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return text;
}

void Output::fail(int number) {
  // Nobody is left to read the status, which is no failure of the work.
  bool is_dead = number == EPIPE || number == EBADF || number == EIO;  // EIO: a terminal has gone
  Error error(ErrorCode::io, "write failed: " + std::generic_category().message(number), name_);
  if (!is_status_) throw SystemError(error, number);
  if (!is_dead && !failure_) failure_ = error;
}

}  // namespace kitbag::cli
