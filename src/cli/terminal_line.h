#pragma once

#include <unistd.h>

#include <cstdio>
#include <string>

namespace kitbag::cli {

/// A line on standard error that is drawn again and again, where somebody watches; it goes with its
/// object.
class TerminalLine {
 public:
  TerminalLine() : is_watched_(isatty(STDERR_FILENO) == 1) {}
  ~TerminalLine() { erase(); }
  TerminalLine(const TerminalLine&) = delete;
  TerminalLine& operator=(const TerminalLine&) = delete;

  bool is_watched() const { return is_watched_; }
  void draw(const std::string& text) {
    is_drawn_ = true;
    std::fputs(("\r\x1b[K" + text).c_str(), stderr);
    std::fflush(stderr);
  }
  void erase() {
    if (is_drawn_) std::fputs("\r\x1b[K", stderr);
    is_drawn_ = false;
  }

 private:
  bool is_watched_;
  bool is_drawn_ = false;
};

}  // namespace kitbag::cli
