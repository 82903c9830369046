#pragma once

#include "python.h"

#include <cstdint>
#include <memory>

#include "kitbag/value.h"

namespace kitbag::python {

/// `value` as an object of Python: a bool, int, float, str, None, tuple, NumPy array, or
/// kitbag.Structure. `types` keeps the types of the value alive; `channel` is that of a value that
/// is a whole message.
py::object to_python(const Value& value, const std::shared_ptr<ValueReader>& types,
                     const ChannelPtr& channel = nullptr);

/// A value of what Python has: numbers, texts, bytes, NumPy arrays and other buffers, sequences,
/// dicts, dataclasses, objects with fields. Throws TypeError.
Value from_python(py::handle object);

/// numpy.datetime64 of nanoseconds since 1970.
py::object datetime64(std::int64_t ns);

}  // namespace kitbag::python
