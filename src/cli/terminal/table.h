#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace kitbag::cli {

/// A line of a table.
using Cells = std::vector<std::string>;

/// Columns as wide as their widest cell, those of `to_right` to the right. The first line is the
/// heading. Cells are escaped.
std::string layout_table(std::vector<Cells> lines, const std::vector<bool>& to_right,
                         bool is_terminal);

/// A table that comes in blocks, too long to be held. The first block sets the widths; a column
/// grows where a later cell is wider.
class TableBlocks {
 public:
  explicit TableBlocks(bool is_terminal) : is_terminal_(is_terminal) {}

  /// Lays out the next lines; the first one of all is the heading. `to_right` is that of the first
  /// block.
  std::string layout(std::vector<Cells> lines, const std::vector<bool>& to_right);

 private:
  bool is_terminal_;
  bool has_heading_ = false;
  std::vector<bool> to_right_;
  std::vector<std::size_t> widths_;
};

}  // namespace kitbag::cli
