#pragma once

#include "python.h"

namespace kitbag::python {

/// Adds what looks up transforms.
void add_transforms(py::module_& module);

}  // namespace kitbag::python
