#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "payload/scalar.h"

namespace kitbag {

/// The text of a condition, read from the beginning: its words, numbers, texts in quotes and signs.
/// All errors are Error (invalid) and show the text.
class ExpressionText {
 public:
  /// Throws if it is too long. `text` must outlive the object.
  explicit ExpressionText(std::string_view text);

  [[noreturn]] void throw_invalid(const std::string& reason) const;
  /// Says what was expected here.
  [[noreturn]] void fail(std::string_view wanted) const;

  static bool is_letter(char c);
  static bool is_digit(char c) { return c >= '0' && c <= '9'; }
  bool is_at_end() const { return at_ == text_.size(); }
  /// The character here, or `ahead` behind it; 0 behind the end.
  char here(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  /// Goes over blanks. Returns the place.
  std::size_t begin();
  std::size_t place() const { return at_; }
  void go_to(std::size_t place) { at_ = place; }
  /// Goes over one character.
  void step() { ++at_; }
  /// What was read since that place.
  std::string_view since(std::size_t place) const { return text_.substr(place, at_ - place); }

  /// Goes over blanks, and over `sign` if it follows.
  bool take(std::string_view sign);
  /// The same of a whole word.
  bool take_word(std::string_view word);

  /// The text in quotes that begins here.
  std::string quoted();
  /// A number that begins at `first`, or a duration if a unit follows.
  Scalar number(std::size_t first);
  /// A word, and what belongs to it: "a.b[3].c". Empty if there is none.
  std::string_view word();

 private:
  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace kitbag
