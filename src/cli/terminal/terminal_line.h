#pragma once

#include <poll.h>
#include <unistd.h>

#include <string>

#include "cli/terminal/standard_streams.h"
#include "kitbag/escape.h"

namespace kitbag::cli {

/// A line on standard error that is drawn again and again, where somebody watches; it goes with its
/// object. What it draws is escaped.
class TerminalLine {
 public:
  TerminalLine() : is_watched_(isatty(STDERR_FILENO) == 1) {}
  ~TerminalLine() { erase(); }
  TerminalLine(const TerminalLine&) = delete;
  TerminalLine& operator=(const TerminalLine&) = delete;

  bool is_watched() const { return is_watched_; }
  void draw(const std::string& text) {
    if (!has_room()) return;  // Ctrl-S: the work does not wait for it
    is_drawn_ = true;
    write_error("\r\x1b[K" + escaped(text));
  }
  void erase() {
    if (is_drawn_ && has_room()) write_error("\r\x1b[K");
    is_drawn_ = false;
  }

 private:
  static bool has_room() {
    pollfd polled = {STDERR_FILENO, POLLOUT, 0};
    return ::poll(&polled, 1, 0) > 0;
  }

  bool is_watched_;
  bool is_drawn_ = false;
};

}  // namespace kitbag::cli
