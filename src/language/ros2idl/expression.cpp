#include "language/ros2idl/expression.h"

#include <array>
#include <optional>
#include <utility>

// Constants, bounds and labels are nearly always one number; operators are for the few texts that
// say SIZE - 1 or 1 << 3. They calculate with 64 bits and take integers only. A real or a text can
// be a constant, and a real may have a sign.
//
// ">>" is ambiguous: in sequence<sequence<long, 8>> it ends two types, and in 256 >> 2 it is an
// operator. So the tokens are always two, and in the bound of a type they are an operator only
// within parentheses (`has_right_shift_`).
//
// Depth is counted (Reader::enter()), since each parenthesis and each sign is a call in a call.

namespace kitbag::ros2idl {

std::int64_t Expressions::integer(const Value& value) const {
  if (const auto* number = std::get_if<std::int64_t>(&value.literal.value)) return *number;
  if (const auto* truth = std::get_if<bool>(&value.literal.value)) return *truth ? 1 : 0;
  if (const auto* text = std::get_if<std::string>(&value.literal.value)) {
    if (text->size() == 1) return static_cast<unsigned char>(text->front());
  }
  in_.fail("expected an integer");
}

Value Expressions::value() {
  in_.enter();
  Value value = operation(0);
  in_.leave();
  return value;
}

std::int64_t Expressions::bound() {
  bool has_right_shift = std::exchange(has_right_shift_, false);
  std::int64_t number = integer(value());
  has_right_shift_ = has_right_shift;
  return number;
}

namespace {

// Operators from those that bind least, a level a line; unary ones bind more than all of them.
constexpr std::array<std::array<std::string_view, 3>, 6> kLevels = {{
    {"|"},
    {"^"},
    {"&"},
    {"<<", ">>"},
    {"+", "-"},
    {"*", "/", "%"},
}};

/// Nothing: a division by zero. As unsigned where that is the same: what overflows is wrapped.
std::optional<std::int64_t> result_of(char sign, std::int64_t left, std::int64_t right) {
  auto a = static_cast<std::uint64_t>(left);
  auto b = static_cast<std::uint64_t>(right);
  auto number = [](std::uint64_t value) { return static_cast<std::int64_t>(value); };
  bool overflows = left == INT64_MIN && right == -1;  // a division does, too
  switch (sign) {
    case '|':
      return number(a | b);
    case '^':
      return number(a ^ b);
    case '&':
      return number(a & b);
    case '<':
      return number(b < 64 ? a << b : 0);
    case '>':
      return b < 64 ? left >> b : (left < 0 ? -1 : 0);
    case '+':
      return number(a + b);
    case '-':
      return number(a - b);
    case '*':
      return number(a * b);
    case '/':
      if (right == 0) return std::nullopt;
      return overflows ? left : left / right;
    default:
      if (right == 0) return std::nullopt;
      return overflows ? 0 : left % right;
  }
}

}  // namespace

std::string_view Expressions::operator_at(std::size_t level) const {
  if (in_.token().what != Token::What::sign) return {};
  for (std::string_view sign : kLevels.at(level)) {
    bool is_two = sign == ">>";  // tokens, since most of them close nested types
    if (is_two && has_right_shift_ && in_.is_at(">") && in_.token(1).text == ">") return sign;
    if (!is_two && !sign.empty() && in_.is_at(sign)) return sign;
  }
  return {};
}

Value Expressions::operation(std::size_t level) {
  if (level == kLevels.size()) return factor();
  Value value = operation(level + 1);
  for (;;) {
    std::string_view sign = operator_at(level);
    if (sign.empty()) return value;
    in_.pass();
    if (sign == ">>") in_.pass();
    std::int64_t left = integer(value);
    auto result = result_of(sign.front(), left, integer(operation(level + 1)));
    if (!result) in_.fail("division by zero");
    value = {Kind::int64, Literal{*result}};
  }
}

Value Expressions::factor() {
  in_.enter();
  Value value;
  const Token here = in_.token();
  if (in_.take("(")) {
    bool has_right_shift = std::exchange(has_right_shift_, true);
    value = this->value();
    has_right_shift_ = has_right_shift;
    in_.expect(")");
  } else if (in_.take("~")) {
    value = factor();
    value.literal.value = ~integer(value);
  } else if (in_.take("-")) {
    value = factor();
    if (auto* real = std::get_if<double>(&value.literal.value)) {
      *real = -*real;
    } else {
      value.literal.value =
          static_cast<std::int64_t>(0 - static_cast<std::uint64_t>(integer(value)));
    }
  } else if (in_.take("+")) {
    value = factor();
  } else if (here.what == Token::What::text) {
    in_.pass();
    value = {Kind::text, Literal{here.text}};
  } else if (here.what == Token::What::number) {
    in_.pass();
    bool is_hexadecimal = here.text.starts_with("0x") || here.text.starts_with("0X");
    bool is_real = !is_hexadecimal && here.text.find_first_of(".eEdDfF") != std::string::npos;
    Kind kind = is_real ? Kind::float64 : Kind::int64;
    value = {kind, literal_of(builtin_type(kind), {here})};
  } else if (in_.take("TRUE") || in_.take("FALSE")) {
    value = {Kind::boolean, Literal{here.text == "TRUE"}};
  } else {
    std::string whole = in_.scoped_name();
    const Value* found = find_(whole);
    if (!found) in_.miss(whole);
    value = *found;
  }
  in_.leave();
  return value;
}

}  // namespace kitbag::ros2idl
