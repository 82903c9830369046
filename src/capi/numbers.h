#pragma once

#include "kitbag/c.h"
#include "kitbag/type.h"

namespace kitbag::c {

/// The kind of a scalar; KITBAG_NOTHING for any other type.
kitbag_kind number_kind(const Type& type);

/// The type of numbers of that kind. Throws Error (invalid) if it is none.
const Type& type_of_numbers(kitbag_kind kind);

}  // namespace kitbag::c
