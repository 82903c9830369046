#pragma once

#include "python.h"

namespace kitbag::python {

/// Adds what kitbag.rosbag makes its message classes of.
void add_ros1_types(py::module_& module);

}  // namespace kitbag::python
