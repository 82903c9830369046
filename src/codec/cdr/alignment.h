#pragma once

#include <cstddef>

#include "kitbag/type.h"

namespace kitbag::cdr {

/// The alignment of the first number of a flat type. A value has padding inside unless it begins at
/// a multiple of Type::flat_alignment.
inline std::size_t first_alignment(const Type& flat) {
  const Type* first = &flat;
  while (!is_scalar(first->kind)) {
    first = first->kind == Kind::array ? first->element : first->fields.front().type;
  }
  return first->flat_alignment;
}

}  // namespace kitbag::cdr
