#pragma once

#include <optional>

#include "kitbag/type.h"
#include "language/protobuf/descriptors.h"

namespace kitbag::protobuf {

/// Reads the default value of a field that has one and whose type is known. False: its text is no
/// value of that type. `value` stays empty for `bytes`, whose escapes are left alone.
bool parse_default(const FieldDescriptor& field, std::optional<Literal>& value);

}  // namespace kitbag::protobuf
