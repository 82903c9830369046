#include "catalog/stored_text.h"

#include "base/utf8.h"

// Names in bags and of files are any bytes; PostgreSQL takes only UTF-8 without NUL. Each byte that
// is no part of a character, and NUL, is stored as a character of the private area, U+F700 + the
// byte. A character of that range in the original is stored byte by byte in the same way, so that
// everything comes back as it was.

namespace kitbag::catalog {
namespace {

constexpr char32_t kFirst = 0xF700;
constexpr char32_t kLast = 0xF7FF;

bool stands_for_a_byte(char32_t character) {
  return character >= kFirst && character <= kLast;
}

}  // namespace

std::string stored_text(std::string_view bytes) {
  std::string text;
  while (!bytes.empty()) {
    Utf8Character next = decode_utf8(bytes);
    bool is_plain = next.length > 0 && next.value != 0 && !stands_for_a_byte(next.value);
    if (is_plain) {
      text.append(bytes.substr(0, next.length));
      bytes.remove_prefix(next.length);
      continue;
    }
    append_utf8(text, kFirst + static_cast<unsigned char>(bytes.front()));
    bytes.remove_prefix(1);
  }
  return text;
}

std::string bytes_of(std::string_view stored) {
  std::string bytes;
  while (!stored.empty()) {
    Utf8Character next = decode_utf8(stored);
    std::size_t length = next.length > 0 ? next.length : 1;
    if (next.length > 0 && stands_for_a_byte(next.value)) {
      bytes.push_back(static_cast<char>(next.value - kFirst));
    } else {
      bytes.append(stored.substr(0, length));
    }
    stored.remove_prefix(length);
  }
  return bytes;
}

}  // namespace kitbag::catalog
