#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace kitbag {

/// A character, and the bytes that it took.
struct Utf8Character {
  char32_t value = 0;
  std::size_t length = 0;  ///< 0: `text` does not begin with one
};

/// The first character of `text`, well-formed as Unicode 15, table 3-7 has it.
Utf8Character decode_utf8(std::string_view text);
/// All of `text` is well-formed.
bool is_utf8(std::string_view text);
/// Adds `character`, which is a Unicode scalar value.
void append_utf8(std::string& text, char32_t character);

}  // namespace kitbag
