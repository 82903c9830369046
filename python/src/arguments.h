#pragma once

#include "python.h"

namespace kitbag::python {

/// Sets `into` to an argument of Python, if it was given. Throws TypeError for one of another type.
template <class T>
void take(const py::dict& arguments, const char* name, T& into) {
  if (!arguments.contains(name) || arguments[name].is_none()) return;
  try {
    into = arguments[name].cast<T>();
  } catch (const py::cast_error&) {
    std::string type = py::str(py::type::of(arguments[name]).attr("__name__"));
    throw py::type_error(std::string(name) + " cannot be of type " + type + ", or is out of range");
  }
}

}  // namespace kitbag::python
