#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "kitbag/type.h"
#include "language/ros2idl/reader.h"

namespace kitbag::ros2idl {

/// A value that a constant, a bound or a label has.
struct Value {
  Kind kind = Kind::int64;
  Literal literal;
};

/// The constant of that name, or null.
using FindConstant = std::function<const Value*(const std::string& name)>;

/// Evaluates constant expressions (IDL 4.2, 7.4.1.4.3) that stand where `in` is. What overflows is
/// wrapped.
class Expressions {
 public:
  /// Both must outlive it.
  Expressions(Reader& in, const FindConstant& find) : in_(in), find_(find) {}

  Value value();
  /// Of what must be one. Throws Error (corrupt).
  std::int64_t integer() { return integer(value()); }
  /// An integer in <> or []. A ">>" ends the type that it is the bound of, unless it stands in
  /// parentheses. Throws Error (corrupt) for anything else.
  std::int64_t bound();

 private:
  std::int64_t integer(const Value& value) const;
  Value operation(std::size_t level);
  Value factor();
  /// The operator of that level that comes next; empty: there is none.
  std::string_view operator_at(std::size_t level) const;

  Reader& in_;
  const FindConstant& find_;
  bool has_right_shift_ = true;
};

}  // namespace kitbag::ros2idl
