#include "codec/cdr/wide_text.h"

#include <algorithm>

#include "base/little_endian.h"
#include "base/utf8.h"

// The specification of XCDR1 leaves room for two widths of characters, and nothing in a payload
// says which one was used. Two-byte text that is read as four bytes a character gives units whose
// one half is each second character. These are code points, at most 10ffff, only where that
// character is below 11 hex: control characters, which texts hardly have. So the first unit that is
// too large decides for two bytes, and so does a text that would be longer than the payload.
//
// A text of a single character can pass for both, if zeros follow it as padding. It has the same
// value then, and what follows at a multiple of four is found at the same place.
//
// Units of four bytes may be halves of surrogate pairs too: middlewares copy UTF-16 unit by unit.

namespace kitbag::cdr {

namespace {

constexpr char32_t kReplacement = 0xfffd;

char32_t unit_at(ByteView bytes, std::size_t at, std::size_t unit, bool is_big_endian) {
  char32_t value = 0;
  for (std::size_t i = 0; i < unit; ++i) {
    std::size_t from = is_big_endian ? at + i : at + unit - 1 - i;
    value = value << 8 | std::to_integer<char32_t>(bytes[from]);
  }
  return value;
}

bool is_high(char32_t unit) {
  return unit >= 0xd800 && unit < 0xdc00;
}
bool is_low(char32_t unit) {
  return unit >= 0xdc00 && unit < 0xe000;
}

}  // namespace

std::size_t wide_unit(ByteView rest, std::size_t count, bool is_big_endian) {
  constexpr std::size_t kWide = 4;
  if (rest.size() / kWide < count) return 2;
  for (std::size_t i = 0; i < count; ++i) {
    if (unit_at(rest, i * kWide, kWide, is_big_endian) > 0x10ffff) return 2;
  }
  return kWide;
}

std::string utf8_of(ByteView bytes, std::size_t unit, bool is_big_endian) {
  std::string text;
  for (std::size_t at = 0; at + unit <= bytes.size(); at += unit) {
    char32_t value = unit_at(bytes, at, unit, is_big_endian);
    if (is_high(value) && at + 2 * unit <= bytes.size()) {
      char32_t low = unit_at(bytes, at + unit, unit, is_big_endian);
      if (is_low(low)) {
        value = 0x10000 + ((value - 0xd800) << 10) + (low - 0xdc00);
        at += unit;
      }
    }
    append_utf8(text, is_high(value) || is_low(value) ? kReplacement : value);
  }
  return text;
}

std::u16string utf16_of(std::string_view text, std::uint64_t& replaced) {
  std::u16string wide;
  while (!text.empty()) {
    auto [value, length] = decode_utf8(text);
    if (length == 0) {
      ++replaced;
      wide += static_cast<char16_t>(kReplacement);
      text.remove_prefix(1);
      continue;
    }
    text.remove_prefix(length);
    if (value < 0x10000) {
      wide += static_cast<char16_t>(value);
    } else {
      wide += static_cast<char16_t>(0xd800 + ((value - 0x10000) >> 10));
      wide += static_cast<char16_t>(0xdc00 + (value & 0x3ff));
    }
  }
  return wide;
}

}  // namespace kitbag::cdr
