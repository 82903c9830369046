#pragma once

#include <cstdint>
#include <optional>

#include "kitbag/type.h"
#include "language/ros2idl/expression.h"
#include "language/ros2idl/names.h"
#include "language/ros2idl/reader.h"

namespace kitbag::ros2idl {

/// Reads the types that declarations name (IDL 4.2, 7.4.1.4.4), where `in` is.
class TypeSpecs {
 public:
  /// All must outlive it.
  TypeSpecs(Reader& in, const Names& names, Expressions& expressions, TypeBuilder& builder)
      : in_(in), names_(names), expressions_(expressions), builder_(builder) {}

  /// "unsigned long", "sequence<string<10>, 3>", "a::b::Type". Throws Error: not_found for a type
  /// that nothing has declared yet.
  const Type& type();
  /// "[2][3]" behind a name: a list of two lists of three.
  const Type& dimensions(const Type& element);

 private:
  std::optional<Kind> primitive();
  std::uint64_t bound();

  Reader& in_;
  const Names& names_;
  Expressions& expressions_;
  TypeBuilder& builder_;
};

}  // namespace kitbag::ros2idl
