#pragma once

#include "kitbag/message.h"
#include "kitbag/type.h"

namespace kitbag::jsonschema {

/// What one text may hold.
inline constexpr std::size_t kMaxTextBytes = 4 << 20;
inline constexpr std::size_t kMaxTypes = 1 << 16;
/// What its types may take in memory, as often as they are used.
inline constexpr std::size_t kMaxExpandedBytes = 128 << 20;

/// What `schema` does not define is of kind any. Throws Error (corrupt).
TypePtr parse(const Schema& schema);

}  // namespace kitbag::jsonschema
