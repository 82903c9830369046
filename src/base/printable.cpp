#include "base/printable.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "base/utf8.h"

// Texts of bags go to terminals, and a topic's name could clear the screen or show a path
// backwards. Nearly all of them are plain ASCII, so eight bytes are tested at once by arithmetic
// that takes a borrow out of each byte: x - ' ' sets the high bit of a byte below a space, and (x ^
// c) - 1 of a byte equal to c. A borrow can run into the next byte and mark it falsely. Then the
// characters are looked at one by one, so this costs time and is no mistake; it happens only behind
// a byte that is marked rightly.

namespace kitbag {
namespace {

struct Range {
  char32_t first;
  char32_t last;
};

constexpr Range kUnprintable[] = {
    {0x0000, 0x001f},    // C0
    {0x007f, 0x009f},    // DEL, C1
    {0x00ad, 0x00ad},    // soft hyphen
    {0x061c, 0x061c},    // Arabic letter mark
    {0x180e, 0x180e},    // Mongolian vowel separator
    {0x200b, 0x200b},    // zero-width space
    {0x200e, 0x200f},    // left-to-right and right-to-left marks
    {0x2028, 0x202e},    // line and paragraph separators, embeddings and overrides
    {0x2060, 0x206f},    // word joiner, invisible operators, isolates
    {0xfeff, 0xfeff},    // byte order mark
    {0xfff9, 0xfffb},    // annotations between lines
    {0xfffe, 0xffff},    // no characters
    {0xe0000, 0xe0fff},  // tags, variation selectors
};

constexpr std::uint64_t kEachByte = 0x0101010101010101U;
constexpr std::uint64_t kHighBits = 0x8080808080808080U;

/// Not 0 where a byte of `word`, which has no high bits set, is `value`.
constexpr std::uint64_t has_byte(std::uint64_t word, std::uint64_t value) {
  return ((word ^ kEachByte * value) - kEachByte) & kHighBits;
}

/// All eight bytes are printable ASCII, and neither quote nor backslash.
bool are_plain(const char* bytes) {
  std::uint64_t word = 0;
  std::memcpy(&word, bytes, sizeof word);
  if ((word & kHighBits) != 0) return false;
  std::uint64_t is_control = (word - kEachByte * ' ') & kHighBits;
  return (is_control | has_byte(word, 0x7f) | has_byte(word, '"') | has_byte(word, '\\')) == 0;
}

}  // namespace

bool is_printable(char32_t character) {
  if (character >= 0x20 && character < 0x7f) return true;
  return std::none_of(std::begin(kUnprintable), std::end(kUnprintable), [&](const Range& range) {
    return character >= range.first && character <= range.last;
  });
}

std::size_t plain_length(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    if (text.size() - at >= sizeof(std::uint64_t) && are_plain(text.data() + at)) {
      at += sizeof(std::uint64_t);
      continue;
    }
    Utf8Character character = decode_utf8(text.substr(at));
    bool is_plain = character.length > 0 && is_printable(character.value) &&
                    character.value != '"' && character.value != '\\';
    if (!is_plain) break;
    at += character.length;
  }
  return at;
}

}  // namespace kitbag
