#include "codec/json/scanner.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "base/little_endian.h"
#include "base/utf8.h"

// Most of a text is skipped, so skipping looks at eight characters at once: `zeros()` marks those
// that are sought. Opening brackets differ from one another in one bit, as closing ones do.

namespace kitbag::json {

namespace {

constexpr std::uint64_t kOnes = 0x0101010101010101;
constexpr std::uint64_t kHighs = 0x8080808080808080;

constexpr std::uint64_t all(char c) {
  return kOnes * static_cast<unsigned char>(c);
}

/// The high bit of the first byte that is zero, and of some behind it that need not be.
constexpr std::uint64_t zeros(std::uint64_t bytes) {
  return (bytes - kOnes) & ~bytes & kHighs;
}

std::uint64_t load(const char* at) {
  return load_le<std::uint64_t>(reinterpret_cast<const std::byte*>(at));
}

/// The first of eight characters that was sought, by its mark.
int first(std::uint64_t marks) {
  return std::countr_zero(marks) / 8;
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

std::optional<std::uint32_t> four_digits(const char* at, const char* end) {
  if (end - at < 4) return std::nullopt;
  std::uint32_t value = 0;
  for (int i = 0; i < 4; ++i) {
    char c = at[i];
    bool is_letter = (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
    if (!is_digit(c) && !is_letter) return std::nullopt;
    int digit = is_digit(c) ? c - '0' : (c | 0x20) - 'a' + 10;
    value = value << 4 | static_cast<std::uint32_t>(digit);
  }
  return value;
}

}  // namespace

bool Scanner::take_word(std::string_view word) {
  if (static_cast<std::size_t>(end_ - at_) < word.size()) return false;
  if (std::memcmp(at_, word.data(), word.size()) != 0) return false;
  at_ += word.size();
  return is_at_end_of_value();
}

bool Scanner::is_at_end_of_value() const {
  constexpr std::string_view kBehind = ",]} \n\r\t";
  return at_ == end_ || kBehind.find(*at_) != std::string_view::npos;
}

bool Scanner::key(std::string_view& name) {
  if (!take('"')) return false;
  const char* begin = at_;
  for (; at_ < end_; ++at_) {
    auto c = static_cast<unsigned char>(*at_);
    if (c == '"') {
      name = {begin, at_++};
      return true;
    }
    // With an escape in it, it may still be one that is wanted: the decoder knows.
    if (c == '\\' || c < 0x20) return false;
  }
  return false;
}

bool Scanner::string(std::string_view& text, std::string& scratch) {
  if (!take('"')) return false;
  const char* begin = at_;
  bool is_plain = true;
  for (; at_ < end_; ++at_) {
    auto c = static_cast<unsigned char>(*at_);
    if (c == '"') break;
    if (c < 0x20) return false;
    if (c == '\\') {
      is_plain = false;
      if (++at_ == end_) return false;
    }
  }
  if (at_ == end_) return false;
  const char* end = at_++;
  if (is_plain) {
    text = {begin, end};
    return true;
  }
  scratch.clear();
  if (!unescape(begin, end, scratch)) return false;
  text = scratch;
  return true;
}

bool Scanner::unescape(const char* begin, const char* end, std::string& to) const {
  for (const char* at = begin; at < end;) {
    const char* plain = std::find(at, end, '\\');
    to.append(at, plain);
    if (plain == end) return true;
    at = plain + 2;
    constexpr std::string_view kNames = "\"\\/bfnrt";
    constexpr std::string_view kValues = "\"\\/\b\f\n\r\t";
    std::size_t known = kNames.find(plain[1]);
    if (known != std::string_view::npos) {
      to += kValues[known];
      continue;
    }
    if (plain[1] != 'u') return false;
    auto code = four_digits(at, end);
    if (!code) return false;
    at += 4;
    if (*code >= 0xd800 && *code < 0xe000) {  // half of a character
      if (*code >= 0xdc00 || end - at < 6 || at[0] != '\\' || at[1] != 'u') return false;
      auto low = four_digits(at + 2, end);
      if (!low || *low < 0xdc00 || *low >= 0xe000) return false;
      at += 6;
      *code = 0x10000 + ((*code - 0xd800) << 10) + (*low - 0xdc00);
    }
    append_utf8(to, *code);
  }
  return true;
}

bool Scanner::number(Number& number) {
  peek();
  const char* begin = at_;
  auto digits = [&] {
    const char* first_digit = at_;
    while (at_ < end_ && is_digit(*at_)) ++at_;
    return at_ > first_digit;
  };
  if (at_ < end_ && *at_ == '-') ++at_;
  const char* whole = at_;
  // RFC 8259, section 6: no zero in front of other digits, and a digit on each side of the point.
  if (!digits() || (*whole == '0' && at_ - whole > 1)) return false;
  number.is_integer = true;
  if (at_ < end_ && *at_ == '.') {
    ++at_;
    if (!digits()) return false;
    number.is_integer = false;
  }
  if (at_ < end_ && (*at_ == 'e' || *at_ == 'E')) {
    ++at_;
    if (at_ < end_ && (*at_ == '+' || *at_ == '-')) ++at_;
    if (!digits()) return false;
    number.is_integer = false;
  }
  number.text = {begin, at_};
  return is_at_end_of_value();
}

/// Behind the opening quote.
bool Scanner::skip_string() {
  while (at_ < end_) {
    if (end_ - at_ >= 8) {
      std::uint64_t bytes = load(at_);
      std::uint64_t marks = zeros(bytes ^ all('"')) | zeros(bytes ^ all('\\'));
      at_ += marks == 0 ? 8 : first(marks);
      if (marks == 0) continue;
    }
    char c = *at_++;
    if (c == '"') return true;
    if (c == '\\' && at_ < end_) ++at_;
  }
  return false;
}

// What is skipped is not checked: a '}' may close a '['.
bool Scanner::skip_open(std::size_t depth) {
  while (depth > 0) {
    if (end_ - at_ >= 8) {
      std::uint64_t bytes = load(at_);
      std::uint64_t lower = bytes | all(0x20);
      std::uint64_t marks =
          zeros(lower ^ all('{')) | zeros(lower ^ all('}')) | zeros(bytes ^ all('"'));
      at_ += marks == 0 ? 8 : first(marks);
      if (marks == 0) continue;
    }
    if (at_ == end_) return false;
    switch (*at_++) {
      case '{':
      case '[':
        ++depth;
        break;
      case '}':
      case ']':
        --depth;
        break;
      case '"':
        if (!skip_string()) return false;
        break;
      default:
        break;
    }
  }
  return true;
}

bool Scanner::skip_value() {
  switch (peek()) {
    case '{':
    case '[':
      ++at_;
      return skip_open(1);
    case '"':
      ++at_;
      return skip_string();
    case 't':
      return take_word("true");
    case 'f':
      return take_word("false");
    case 'n':
      return take_word("null");
    default: {
      Number number;
      return this->number(number);
    }
  }
}

}  // namespace kitbag::json
