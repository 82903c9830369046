#pragma once

#include <cstddef>
#include <string_view>

namespace kitbag {

/// U+FFFD, which stands for what is not a character.
inline constexpr std::string_view kReplacement = "\xef\xbf\xbd";

/// False for characters that a terminal obeys (C0, DEL, C1), that end a line, or that are not seen
/// but change how others are shown (bidirectional marks and overrides, zero-width spaces, tags).
/// The joiners U+200C and U+200D are part of the writing of some languages, and printable.
bool is_printable(char32_t character);

/// Length of the front of `text` that is printable UTF-8 without quotes (") and backslashes.
std::size_t plain_length(std::string_view text);

}  // namespace kitbag
