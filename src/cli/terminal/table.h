#pragma once

#include <string>
#include <vector>

namespace kitbag::cli {

/// A line of a table.
using Cells = std::vector<std::string>;

/// Columns as wide as their widest cell, those of `to_right` to the right. The first line is the
/// heading. Cells are escaped.
std::string layout_table(std::vector<Cells> lines, const std::vector<bool>& to_right,
                         bool is_terminal);

}  // namespace kitbag::cli
