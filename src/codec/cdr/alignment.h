#pragma once

#include <cstddef>

#include "kitbag/type.h"

namespace kitbag::cdr {

/// What the first number of a flat type is aligned to. Padding lies inside the type unless its
/// beginning is aligned to all of Type::flat_alignment.
inline std::size_t first_alignment(const Type& flat) {
  const Type* first = &flat;
  while (!is_scalar(first->kind)) {
    first = first->kind == Kind::array ? first->element : first->fields.front().type;
  }
  return first->flat_alignment;
}

}  // namespace kitbag::cdr
