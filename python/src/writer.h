#pragma once

#include "python.h"

#include "kitbag/bag.h"

namespace kitbag::python {

/// How a bag is written, of the arguments of Python: names of WriteOptions. Throws TypeError for
/// one that it does not have.
WriteOptions write_options(const py::dict& arguments, const std::shared_ptr<Problems>& problems);

/// Adds what writes bags.
void add_writers(py::module_& module);

}  // namespace kitbag::python
