#pragma once

#include "python.h"

namespace kitbag::python {

/// Adds what writes files for other programs, and bags of tables.
void add_exports(py::module_& module);

}  // namespace kitbag::python
