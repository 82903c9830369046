#pragma once

#include "python.h"

namespace kitbag::python {

/// Adds what converts, records and plays.
void add_flows(py::module_& module);

}  // namespace kitbag::python
