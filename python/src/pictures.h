#pragma once

#include "python.h"

namespace kitbag::python {

/// Adds what makes pictures of messages.
void add_pictures(py::module_& module);

}  // namespace kitbag::python
