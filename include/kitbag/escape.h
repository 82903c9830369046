#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "kitbag/export.h"

namespace kitbag {

/// `text`, which may come from a bag, a file name or the network, as a person may safely see it:
/// on one line, without anything that a terminal obeys or that hides or reorders what stands there.
/// Printable UTF-8 stays as it is. A newline, return and tab become \n, \r and \t; other control
/// characters of ASCII and bytes that are not UTF-8 become \x1b; control and format characters
/// beyond ASCII (C1, directional marks, line separators, zero-width spaces) become \u009b or
/// \U000e0001; a backslash becomes two, so that no two texts look alike.
KITBAG_API std::string escaped(std::string_view text);

/// `text` of several lines, such as a definition: as escaped(), but newlines, tabs and backslashes
/// stay. It is for reading only: what was a backslash before and what an escape is not told.
KITBAG_API std::string escaped_lines(std::string_view text);

/// `text` as a string of JSON, with its quotes. What escaped() escapes is escaped here as JSON does
/// (\u009b), so the value is the same for every reader. Each byte that is not UTF-8 becomes U+FFFD;
/// `replaced`, where it is given, is increased by their number.
KITBAG_API std::string json_quoted(std::string_view text, std::size_t* replaced = nullptr);

/// `text` with U+FFFD for each byte that is not UTF-8. `replaced`, where it is given, is increased
/// by their number.
KITBAG_API std::string valid_utf8(std::string_view text, std::size_t* replaced = nullptr);

}  // namespace kitbag
