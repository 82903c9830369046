#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "kitbag/error.h"
#include "language/ros2idl/annotations.h"
#include "language/ros2idl/tokens.h"

namespace kitbag::ros2idl {

/// Reads the tokens of a file, one after the other.
class Reader {
 public:
  /// No real definition has deeper modules, sequences of sequences or expressions.
  static constexpr std::size_t kMaxDepth = 64;

  /// `name` is what errors call the definition.
  explicit Reader(std::string name) : name_(std::move(name)) {}

  void read(std::vector<Token> tokens) {
    tokens_ = std::move(tokens);
    at_ = depth_ = 0;
  }

  /// Throw Error with the line: corrupt, unsupported, and not_found for a name.
  [[noreturn]] void fail(const std::string& what) const;
  [[noreturn]] void refuse(const std::string& what) const;
  [[noreturn]] void miss(const std::string& name) const;

  const Token& token(std::size_t ahead = 0) const {
    return tokens_[std::min(at_ + ahead, tokens_.size() - 1)];
  }
  /// The next token is that name or sign.
  bool is_at(std::string_view text) const;
  bool take(std::string_view text);
  void expect(std::string_view text);
  void pass(std::size_t count = 1) { at_ += count; }
  std::size_t position() const { return at_; }
  /// The text of the tokens from there to here.
  std::string text_since(std::size_t position) const;
  std::string name();
  std::string scoped_name();
  Annotations annotations();

  /// Around constructs that may contain themselves.
  void enter() {
    if (++depth_ > kMaxDepth) fail("it is nested too deep");
  }
  void leave() { --depth_; }

 private:
  [[noreturn]] void fail(ErrorCode code, const std::string& what) const;

  std::string name_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  std::size_t depth_ = 0;
};

}  // namespace kitbag::ros2idl
