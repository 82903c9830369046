#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "kitbag/export.h"

namespace kitbag {

/// Returns `text`, which may come from a bag, a file name or the network, in a form that is safe to
/// show to people: on one line, without characters that control a terminal or that hide or reorder
/// text.
///
/// Printable UTF-8 stays unchanged. Newline, return and tab become `\n`, `\r` and `\t`. Other ASCII
/// control characters and bytes that are not UTF-8 become `\x1b`. Control and format characters
/// beyond ASCII (C1, directional marks, line separators, zero-width spaces) become `\u009b` or
/// `\U000e0001`. A backslash is doubled, so that different texts stay different.
KITBAG_API std::string escaped(std::string_view text);

/// Returns a text of several lines, such as a definition, as escaped() does, but keeps newlines
/// (also `\r\n`), tabs and backslashes. For reading only: an escape cannot be distinguished from a
/// backslash in the text.
KITBAG_API std::string escaped_lines(std::string_view text);

/// Returns `text` as a JSON string with quotes. Characters that escaped() escapes become JSON
/// escapes (`\u009b`), so every reader sees the same value. Each byte that is not UTF-8 becomes
/// U+FFFD; if `replaced` is not null, it is increased by their number.
KITBAG_API std::string json_quoted(std::string_view text, std::size_t* replaced = nullptr);

/// Returns `text` with U+FFFD for each byte that is not UTF-8. If `replaced` is not null, it is
/// increased by their number.
KITBAG_API std::string valid_utf8(std::string_view text, std::size_t* replaced = nullptr);

/// Returns a path or URI as people and logs may see it: an address on a web server without user and
/// password, and with "..." for the values of parameters that may give access, such as the
/// signature of a presigned URL; anything else unchanged.
KITBAG_API std::string shown_path(const std::string& path);

}  // namespace kitbag
