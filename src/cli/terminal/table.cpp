#include "cli/terminal/table.h"

#include <algorithm>
#include <utility>

#include "cli/terminal/print.h"
#include "cli/terminal/width.h"
#include "kitbag/escape.h"

// Widths are counted in columns of a terminal and after escaping: a topic in Chinese takes two
// columns a letter, and one with control characters takes those that are shown for them.

namespace kitbag::cli {

std::string layout_table(std::vector<Cells> lines, const std::vector<bool>& to_right,
                         bool is_terminal) {
  return TableBlocks(is_terminal).layout(std::move(lines), to_right);
}

std::string TableBlocks::layout(std::vector<Cells> lines, const std::vector<bool>& to_right) {
  if (!has_heading_) to_right_ = to_right;
  widths_.resize(to_right_.size(), 0);
  for (Cells& cells : lines) {
    for (std::size_t i = 0; i < cells.size(); ++i) {
      cells[i] = escaped(cells[i]);
      widths_[i] = std::max(widths_[i], display_width(cells[i]));
    }
  }
  std::string text;
  for (const Cells& cells : lines) {
    std::string line;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (i > 0) line += "  ";
      std::string space(widths_[i] - display_width(cells[i]), ' ');
      line += to_right_[i] ? space + cells[i] : cells[i] + space;
    }
    // No spaces at the end, which would wrap in a narrow terminal.
    line.resize(line.find_last_not_of(' ') + 1);
    text += has_heading_ ? line : styled(line, Style::bold, is_terminal_);
    text += '\n';
    has_heading_ = true;
  }
  return text;
}

}  // namespace kitbag::cli
