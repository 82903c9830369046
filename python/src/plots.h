#pragma once

#include "python.h"

namespace kitbag::python {

/// Adds what plots numbers in messages.
void add_plots(py::module_& module);

}  // namespace kitbag::python
