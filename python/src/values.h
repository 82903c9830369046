#pragma once

#include "python.h"

#include <memory>

#include "kitbag/value.h"

namespace kitbag::python {

/// Adds kitbag.Structure and what holds lists of numbers.
void add_values(py::module_& module);

/// `value` as an object of Python: a bool, int, float, str, None, tuple, NumPy array, or
/// kitbag.Structure. `types` keeps the types of the value alive; `channel` is that of a value that
/// is a whole message.
py::object to_python(const Value& value, const std::shared_ptr<ValueReader>& types,
                     const ChannelPtr& channel = nullptr);

/// What a kitbag.Structure holds; null for any other object.
const Value* value_of(py::handle object);
/// The channel of a kitbag.Structure that is a whole message, or null.
ChannelPtr channel_of(py::handle object);

/// A value of what Python has: numbers, texts, bytes, NumPy arrays and other buffers, sequences,
/// dicts, dataclasses, objects with fields. Throws TypeError.
Value from_python(py::handle object);

/// numpy.datetime64 of nanoseconds since 1970.
py::object datetime64(std::int64_t ns);

}  // namespace kitbag::python
