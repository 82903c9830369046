#pragma once

#include "python.h"

#include <memory>

#include "kitbag/type.h"
#include "kitbag/value.h"

namespace kitbag::python {

/// Adds kitbag.Structure.
void add_structures(py::module_& module);

/// A kitbag.Structure of a value that is a structure; the arguments are those of to_python().
py::object structure_of(const Value& value, const std::shared_ptr<ValueReader>& types,
                        const ChannelPtr& channel);

/// What a kitbag.Structure holds; null for any other object.
const Value* value_of(py::handle object);
/// The channel of a kitbag.Structure that is a whole message, or null.
ChannelPtr channel_of(py::handle object);

/// The value of a constant in a definition.
py::object constant_value(const Constant& constant);

}  // namespace kitbag::python
