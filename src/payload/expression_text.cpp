#include "payload/expression_text.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdint>

#include "kitbag/error.h"
#include "kitbag/text.h"
#include "kitbag/time.h"

// There is no list of tokens. The parser asks for what may stand here, and goes back (go_to())
// where it was something else. A word is a whole path, as "poses[0].position.x", because a '.' or a
// '[' directly behind a word has no other meaning.
//
// A byte from 0x80 on counts as a letter: names of fields may be UTF-8, and are compared byte by
// byte.

namespace kitbag {

ExpressionText::ExpressionText(std::string_view text) : text_(text) {
  constexpr std::size_t kMostBytes = 20'000;  // nobody writes longer ones
  if (text.size() > kMostBytes) throw_invalid("is too long");
}

void ExpressionText::throw_invalid(const std::string& reason) const {
  constexpr std::size_t kMostShown = 200;
  bool is_cut = text_.size() > kMostShown;
  throw Error(ErrorCode::invalid,
              fmt::format("invalid condition \"{}{}\": {}", text_.substr(0, kMostShown),
                          is_cut ? "..." : "", reason));
}

void ExpressionText::fail(std::string_view wanted) const {
  constexpr std::size_t kMostShown = 40;
  std::string found =
      at_ < text_.size() ? fmt::format("\"{}\"", text_.substr(at_, kMostShown)) : "the end";
  bool is_assignment = here() == '=' && here(1) != '=' && here(1) != '~';
  throw_invalid(fmt::format("expected {} at character {}, got {}{}", wanted, at_ + 1, found,
                            is_assignment ? "; equality is ==" : ""));
}

bool ExpressionText::is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' ||
         static_cast<unsigned char>(c) >= 0x80;
}

std::size_t ExpressionText::begin() {
  while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != text_.npos) ++at_;
  return at_;
}

bool ExpressionText::take(std::string_view sign) {
  begin();
  if (!text_.substr(at_).starts_with(sign)) return false;
  at_ += sign.size();
  return true;
}

bool ExpressionText::take_word(std::string_view word) {
  begin();
  char behind = here(word.size());
  bool goes_on = is_letter(behind) || is_digit(behind) || behind == '.' || behind == '[';
  return !goes_on && take(word);
}

std::string ExpressionText::quoted() {
  char quote = text_[at_++];
  std::string value;
  for (; at_ < text_.size() && text_[at_] != quote; ++at_) {
    bool is_escape = text_[at_] == '\\' && (here(1) == quote || here(1) == '\\');
    if (is_escape) ++at_;
    value += text_[at_];
  }
  if (at_ == text_.size()) fail("a closing quote");
  ++at_;
  return value;
}

Scalar ExpressionText::number(std::size_t first) {
  const char* begin = text_.data() + first;
  const char* end = text_.data() + text_.size();
  double real = 0;
  auto parsed = std::from_chars(begin, end, real);
  at_ = first;
  if (parsed.ec != std::errc()) fail("a number");
  at_ = static_cast<std::size_t>(parsed.ptr - text_.data());
  if (is_letter(here())) {
    while (is_letter(here()) || is_digit(here()) || here() == '.') ++at_;
    try {
      // parse_duration() takes no sign.
      std::size_t digits = text_[first] == '-' ? first + 1 : first;
      Duration duration = parse_duration(text_.substr(digits, at_ - digits));
      return digits > first ? -duration : duration;
    } catch (const Error&) {
      at_ = first;
      fail("a number, or a duration such as 500ms");
    }
  }
  // An integer where it is one, since a double would round those above 2^53.
  std::int64_t integer = 0;
  auto whole = std::from_chars(begin, parsed.ptr, integer);
  if (whole.ec == std::errc() && whole.ptr == parsed.ptr) return integer;
  std::uint64_t natural = 0;
  whole = std::from_chars(begin, parsed.ptr, natural);
  if (whole.ec == std::errc() && whole.ptr == parsed.ptr) return natural;
  return real;
}

std::string_view ExpressionText::word() {
  std::size_t begin = at_;
  while (is_letter(here()) || is_digit(here())) ++at_;
  while (begin < at_) {
    if (here() == '.' && is_letter(here(1))) {
      ++at_;
      while (is_letter(here()) || is_digit(here())) ++at_;
    } else if (here() == '[') {
      std::size_t end = at_ + 1;
      if (end < text_.size() && text_[end] == '-') ++end;
      while (end < text_.size() && is_digit(text_[end])) ++end;
      if (end >= text_.size() || text_[end] != ']') fail("an index such as [0]");
      at_ = end + 1;
    } else {
      break;
    }
  }
  return text_.substr(begin, at_ - begin);
}

}  // namespace kitbag
