#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kitbag::ros2idl {

/// What one text may hold.
inline constexpr std::size_t kMaxTextBytes = 4 << 20;

struct Token {
  enum class What { name, number, text, sign, end } what = What::end;
  std::string text;  ///< of a text what stands between the quotes, escapes resolved
  std::size_t line = 0;
};

/// The tokens of an IDL text, without comments and preprocessor lines; the last is an end. Throws
/// Error (corrupt) with the line.
std::vector<Token> tokens_of(std::string_view text, std::string_view name);

}  // namespace kitbag::ros2idl
