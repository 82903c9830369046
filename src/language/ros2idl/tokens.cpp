#include "language/ros2idl/tokens.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/lines.h"
#include "kitbag/error.h"

// There is no preprocessor: its lines are skipped, and what a file would include has to be in the
// bag's text, as it is where rosbag2 wrote it. Conditions and macros are not evaluated.
//
// An adjacent text is joined to the one before, since rosidl breaks long comments into several
// texts (@verbatim).

namespace kitbag::ros2idl {

namespace {

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

class Tokenizer {
 public:
  Tokenizer(std::string_view text, std::string_view name) : text_(text), name_(name) {}

  std::vector<Token> all() {
    while (skip_blanks(), at_ < text_.size()) take();
    tokens_.push_back({Token::What::end, "", line_});
    return std::move(tokens_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw Error(ErrorCode::corrupt,
                fmt::format("definition of {}, line {}: {}", printable(name_), line_, what));
  }

  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  void pass(std::size_t count) {
    for (; count > 0 && at_ < text_.size(); --count) {
      if (text_[at_++] == '\n') ++line_;
    }
  }
  void pass_until(std::string_view end, std::size_t behind) {
    std::size_t found = text_.find(end, at_);
    pass(found == std::string_view::npos ? text_.size() - at_ : found - at_ + behind);
  }

  void skip_blanks() {
    for (;;) {
      char c = peek();
      if (c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\v' || c == '\f') {
        pass(1);
      } else if (c == '/' && peek(1) == '/') {
        pass_until("\n", 1);
      } else if (c == '/' && peek(1) == '*') {
        pass_until("*/", 2);
      } else if (c == '#') {
        pass_until("\n", 1);
      } else {
        return;
      }
    }
  }

  void take() {
    char c = peek();
    bool is_wide = c == 'L' && (peek(1) == '"' || peek(1) == '\'');
    if (is_wide) pass(1);
    if (c == '"' || c == '\'' || is_wide) return take_text();
    std::size_t end = at_;
    if (is_letter(c)) {
      while (end < text_.size() && (is_letter(text_[end]) || is_digit(text_[end]))) ++end;
      return add(Token::What::name, end);
    }
    if (is_digit(c) || (c == '.' && is_digit(peek(1)))) {
      while (end < text_.size() && is_number_part(end)) ++end;
      return add(Token::What::number, end);
    }
    // "sequence<sequence<long>>" closes twice, so ">>" stays two signs.
    for (std::string_view sign : {"::", "<<"}) {
      if (text_.substr(at_).starts_with(sign)) return add(Token::What::sign, at_ + 2);
    }
    add(Token::What::sign, at_ + 1);
  }

  bool is_number_part(std::size_t at) const {
    char c = text_[at];
    // In 0x1e+2, the e is a digit.
    bool is_exponent_sign = (c == '+' || c == '-') && at > at_ &&
                            (text_[at - 1] == 'e' || text_[at - 1] == 'E') &&
                            !text_.substr(at_).starts_with("0x");
    return is_letter(c) || is_digit(c) || c == '.' || is_exponent_sign;
  }

  void add(Token::What what, std::size_t end) {
    tokens_.push_back({what, std::string(text_.substr(at_, end - at_)), line_});
    at_ = end;
  }

  void take_text() {
    char quote = peek();
    Token token{Token::What::text, "", line_};
    pass(1);
    while (at_ < text_.size() && peek() != quote) {
      if (peek() == '\\')
        pass(1), token.text += escaped(peek());
      else
        token.text += peek();
      pass(1);
    }
    if (at_ == text_.size()) fail("a quote is not closed");
    pass(1);
    bool goes_on = !tokens_.empty() && tokens_.back().what == Token::What::text && quote == '"';
    if (goes_on) {
      tokens_.back().text += token.text;  // as in C, "a" "b" is one
    } else {
      tokens_.push_back(std::move(token));
    }
  }

  static char escaped(char c) {
    constexpr std::string_view kLetters = "ntrvbfa";
    constexpr std::string_view kMeanings = "\n\t\r\v\b\f\a";
    std::size_t found = kLetters.find(c);
    return found == std::string_view::npos ? c : kMeanings[found];
  }

  std::string_view text_;
  std::string_view name_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
  std::vector<Token> tokens_;
};

}  // namespace

std::vector<Token> tokens_of(std::string_view text, std::string_view name) {
  return Tokenizer(text, name).all();
}

}  // namespace kitbag::ros2idl
