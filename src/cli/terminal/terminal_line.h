#pragma once

#include "cli/terminal/status_text.h"

namespace kitbag::cli {

/// A line on a terminal that is drawn again and again, where somebody watches: as wide as the
/// terminal is at that moment, so that it never goes on in the next line. It goes with its object.
class TerminalLine {
 public:
  /// `descriptor` stays the caller's.
  explicit TerminalLine(int descriptor = 2);
  ~TerminalLine() { erase(); }
  TerminalLine(const TerminalLine&) = delete;
  TerminalLine& operator=(const TerminalLine&) = delete;

  bool is_watched() const { return is_watched_; }
  void draw(const StatusText& text);
  void erase();

 private:
  /// False: nobody reads (Ctrl-S), and the work does not wait for it; or the terminal is that of
  /// another job, and what is drawn would be in its way.
  bool has_room() const;
  void write(const std::string& text) const;

  int descriptor_;
  bool is_watched_;
  bool is_drawn_ = false;
};

}  // namespace kitbag::cli
