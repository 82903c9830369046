#pragma once

#include <string>

#include "kitbag/type.h"

namespace kitbag::jsonschema {

/// Throws Error (unsupported) for unions, and for types that contain themselves.
std::string print(const Type& type);

}  // namespace kitbag::jsonschema
