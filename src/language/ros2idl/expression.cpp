#include "language/ros2idl/expression.h"

#include <fmt/format.h>

#include "base/lines.h"

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
  Value value = operation([this] { return sum(); }, "|^&");
  in_.leave();
  return value;
}
Value Expressions::sum() {
  return operation([this] { return product(); }, "+-");
}
Value Expressions::product() {
  return operation([this] { return factor(); }, "*/%");
}

template <class Part>
Value Expressions::operation(Part part, std::string_view signs) {
  Value value = part();
  for (;;) {
    bool is_shift = in_.is_at("<<") && signs == "+-";
    bool is_sign = in_.token().what == Token::What::sign && in_.token().text.size() == 1 &&
                   signs.find(in_.token().text[0]) != std::string_view::npos;
    if (!is_shift && !is_sign) return value;
    char sign = in_.token().text[0];
    in_.pass();
    // As unsigned: what overflows is wrapped, not undefined.
    auto a = static_cast<std::uint64_t>(integer(value));
    auto b = static_cast<std::uint64_t>(integer(part()));
    if ((sign == '/' || sign == '%') && b == 0) in_.fail("division by zero");
    std::uint64_t result = 0;
    switch (sign) {
      case '|':
        result = a | b;
        break;
      case '^':
        result = a ^ b;
        break;
      case '&':
        result = a & b;
        break;
      case '+':
        result = a + b;
        break;
      case '-':
        result = a - b;
        break;
      case '*':
        result = a * b;
        break;
      case '/':
        result = a / b;
        break;
      case '%':
        result = a % b;
        break;
      default:
        result = b < 64 ? a << b : 0;
    }
    value = {Kind::int64, Literal{static_cast<std::int64_t>(result)}};
  }
}

Value Expressions::factor() {
  in_.enter();
  Value value;
  const Token here = in_.token();
  if (in_.take("(")) {
    value = this->value();
    in_.expect(")");
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
    if (!found) in_.fail(fmt::format("unknown constant {}", printable(whole)));
    value = *found;
  }
  in_.leave();
  return value;
}

}  // namespace kitbag::ros2idl
