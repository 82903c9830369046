#include "cli/terminal/table.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/terminal/print.h"
#include "kitbag/escape.h"

namespace kitbag::cli {

std::string layout_table(std::vector<Cells> lines, const std::vector<bool>& to_right,
                         bool is_terminal) {
  for (Cells& cells : lines) {
    for (std::string& cell : cells) cell = escaped(cell);
  }
  std::vector<std::size_t> widths(to_right.size(), 0);
  for (const Cells& cells : lines) {
    for (std::size_t i = 0; i < cells.size(); ++i) widths[i] = std::max(widths[i], cells[i].size());
  }
  std::string text;
  for (const Cells& cells : lines) {
    std::string line;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (i > 0) line += "  ";
      line += to_right[i] ? fmt::format("{:>{}}", cells[i], widths[i])
                          : fmt::format("{:<{}}", cells[i], widths[i]);
    }
    line.resize(line.find_last_not_of(' ') + 1);
    text += &cells == &lines.front() ? styled(line, Style::bold, is_terminal) : line;
    text += '\n';
  }
  return text;
}

}  // namespace kitbag::cli
