#pragma once

#include "python.h"

#include "kitbag/value.h"

namespace kitbag::python {

/// Adds what holds lists of numbers.
void add_numbers(py::module_& module);

/// A NumPy array over the numbers, which it keeps alive.
py::object array_of(const PackedNumbers& numbers);

/// An attribute of NumPy, which is imported now.
py::object numpy(const char* name);

}  // namespace kitbag::python
