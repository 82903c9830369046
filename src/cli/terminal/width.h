#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace kitbag::cli {

/// How many columns of a terminal `text` takes, which is escaped(): ideographs and emoji take two,
/// accents that stand above a letter none.
std::size_t display_width(std::string_view text);

/// `text`, or as much of it as fits into `columns` with an ellipsis behind it.
std::string cut_to_width(std::string_view text, std::size_t columns);

/// The columns of the terminal behind `descriptor` as it is now; 80 where it does not say, as on a
/// serial line.
std::size_t terminal_columns(int descriptor);

/// The same of its lines; 24 where it does not say.
std::size_t terminal_lines(int descriptor);

}  // namespace kitbag::cli
