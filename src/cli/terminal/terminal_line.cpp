#include "cli/terminal/terminal_line.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string_view>

#include "cli/terminal/width.h"

// The width is asked for each time, which costs less than the drawing, so nothing has to be known
// of SIGWINCH. Some columns stay free: for the ^C that the terminal shows, and since many terminals
// begin a new line once the last column is taken.

namespace kitbag::cli {
namespace {

constexpr std::size_t kFreeColumns = 3;
constexpr const char* kEraseLine = "\r\x1b[K";

}  // namespace

TerminalLine::TerminalLine(int descriptor)
    : descriptor_(descriptor), is_watched_(isatty(descriptor) == 1) {}

void TerminalLine::draw(const StatusText& text) {
  if (!is_watched_ || !has_room()) return;
  is_drawn_ = true;
  std::size_t columns = terminal_columns(descriptor_);
  // In one write, so that no terminal shows the erased line.
  write(kEraseLine + fitted(text, columns - std::min(columns, kFreeColumns)));
}

void TerminalLine::erase() {
  if (is_drawn_ && has_room()) write(kEraseLine);
  is_drawn_ = false;
}

bool TerminalLine::has_room() const {
  pid_t foreground = tcgetpgrp(descriptor_);  // -1: this terminal has no jobs
  if (foreground >= 0 && foreground != getpgrp()) return false;
  pollfd polled = {descriptor_, POLLOUT, 0};
  return ::poll(&polled, 1, 0) > 0;
}

void TerminalLine::write(const std::string& text) const {
  std::string_view left = text;
  while (!left.empty()) {
    ssize_t count = ::write(descriptor_, left.data(), left.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return;
    left.remove_prefix(static_cast<std::size_t>(count));
  }
}

}  // namespace kitbag::cli
