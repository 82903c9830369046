#pragma once

#include "python.h"

namespace kitbag::python {

/// Adds _Catalog, behind kitbag.Catalog.
void add_catalogs(py::module_& module);

}  // namespace kitbag::python
