#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace kitbag::json {

/// Walks along a JSON text without a tree. What is read is checked as the decoder's parser does;
/// what is skipped is not: only its quotes and brackets count. Where a function returns false, the
/// text is damaged, or takes the decoder.
class Scanner {
 public:
  Scanner() = default;
  explicit Scanner(std::string_view text) : at_(text.data()), end_(text.data() + text.size()) {}

  const char* position() const { return at_; }
  void return_to(const char* position) { at_ = position; }

  /// The next character that is no white space; 0 at the end.
  char peek() {
    while (at_ < end_ && (*at_ == ' ' || *at_ == '\n' || *at_ == '\r' || *at_ == '\t')) ++at_;
    return at_ < end_ ? *at_ : '\0';
  }
  /// Passes `c` if it comes next.
  bool take(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  /// Passes "null", "true" or "false".
  bool take_word(std::string_view word);

  /// A key that has no escapes.
  bool key(std::string_view& name);
  /// A string; its escapes, if it has any, are resolved in `scratch`.
  bool string(std::string_view& text, std::string& scratch);
  struct Number {
    std::string_view text;
    bool is_integer = false;  ///< it has neither a point nor an exponent
  };
  bool number(Number& number);

  bool skip_value();
  /// Behind the brackets of `depth` objects and lists that are open.
  bool skip_open(std::size_t depth);

 private:
  bool skip_string();
  /// Behind a number or a word: nothing that could belong to it follows.
  bool is_at_end_of_value() const;
  bool unescape(const char* begin, const char* end, std::string& to) const;

  const char* at_ = nullptr;
  const char* end_ = nullptr;
};

}  // namespace kitbag::json
