#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kitbag {

/// `text` without blanks at its ends.
std::string_view trimmed(std::string_view text);
/// The lines of `text`, without their ends.
std::vector<std::string_view> lines_of(std::string_view text);
/// `text` as an error may show it: short, and foreign bytes do not get to a terminal.
std::string printable(std::string_view text);

}  // namespace kitbag
