#include "base/utf8.h"

#include <cstdint>
#include <cstring>

// The bounds of the second byte are those of table 3-7 of Unicode. They exclude what other bytes
// could spell too: characters in longer forms than necessary, halves of surrogate pairs, and what
// is beyond 10ffff. With them the value needs no test of its own.

namespace kitbag {

Utf8Character decode_utf8(std::string_view text) {
  if (text.empty()) return {};
  auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  unsigned char first = byte(0);
  if (first < 0x80) return {first, 1};
  if (first < 0xc2 || first > 0xf4) return {};
  std::size_t length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  if (text.size() < length) return {};
  unsigned char low = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
  unsigned char high = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
  if (byte(1) < low || byte(1) > high) return {};
  char32_t value = first & (0x7fU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return {};
    value = value << 6 | (byte(i) & 0x3fU);
  }
  return {value, length};
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    std::uint64_t eight = 0;
    if (text.size() >= sizeof eight) {
      std::memcpy(&eight, text.data(), sizeof eight);
      if ((eight & 0x8080808080808080U) == 0) {
        text.remove_prefix(sizeof eight);
        continue;
      }
    }
    std::size_t length = decode_utf8(text).length;
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

void append_utf8(std::string& text, char32_t character) {
  auto part = [&](unsigned shift) {
    text += static_cast<char>(0x80 | ((character >> shift) & 0x3f));
  };
  if (character < 0x80) {
    text += static_cast<char>(character);
  } else if (character < 0x800) {
    text += static_cast<char>(0xc0 | (character >> 6));
    part(0);
  } else if (character < 0x10000) {
    text += static_cast<char>(0xe0 | (character >> 12));
    part(6);
    part(0);
  } else {
    text += static_cast<char>(0xf0 | (character >> 18));
    part(12);
    part(6);
    part(0);
  }
}

}  // namespace kitbag
