#include "storage/sqlite3/pages/stored_text.h"

#include <cstddef>

#include "base/utf8.h"

namespace kitbag::sqlite3 {

namespace {

constexpr char32_t kReplacement = 0xfffd;

bool is_high(char32_t unit) {
  return unit >= 0xd800 && unit < 0xdc00;
}
bool is_low(char32_t unit) {
  return unit >= 0xdc00 && unit < 0xe000;
}

}  // namespace

// The head of the file has the encoding, too; but nothing protects that byte, and these texts are
// known.
TextEncoding encoding_of(ByteView bytes) {
  if (bytes.size() < 2) return TextEncoding::utf8;
  if (bytes[0] == std::byte{0} && bytes[1] != std::byte{0}) return TextEncoding::utf16_big;
  if (bytes[0] != std::byte{0} && bytes[1] == std::byte{0}) return TextEncoding::utf16_little;
  return TextEncoding::utf8;
}

std::string decode_text(ByteView bytes, TextEncoding encoding) {
  if (encoding == TextEncoding::utf8) return std::string(as_text(bytes));
  std::size_t high_byte = encoding == TextEncoding::utf16_big ? 0 : 1;
  auto unit_at = [&](std::size_t at) {
    return std::to_integer<char32_t>(bytes[at + high_byte]) << 8 |
           std::to_integer<char32_t>(bytes[at + 1 - high_byte]);
  };
  std::string text;
  for (std::size_t at = 0; at + 2 <= bytes.size(); at += 2) {
    char32_t value = unit_at(at);
    if (is_high(value) && at + 4 <= bytes.size() && is_low(unit_at(at + 2))) {
      value = 0x10000 + ((value - 0xd800) << 10) + (unit_at(at + 2) - 0xdc00);
      at += 2;
    }
    append_utf8(text, is_high(value) || is_low(value) ? kReplacement : value);
  }
  return text;
}

}  // namespace kitbag::sqlite3
