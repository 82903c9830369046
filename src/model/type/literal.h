#pragma once

#include <string_view>

#include "kitbag/type.h"

namespace kitbag {

/// The value of type `type` that `text` says in YAML's way: 5, -0x10, true, 'text', [1, 2].
/// Throws Error (corrupt).
Literal parse_literal(const Type& type, std::string_view text);

}  // namespace kitbag
