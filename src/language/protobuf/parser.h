#pragma once

#include "kitbag/message.h"
#include "kitbag/type.h"

namespace kitbag::protobuf {

/// What one set of descriptors may hold.
inline constexpr std::size_t kMaxSetBytes = 16 << 20;

/// Throws Error: corrupt where the text is no FileDescriptorSet, or one that does not hold
/// together; not_found where the message is not in it.
TypePtr parse(const Schema& schema);

}  // namespace kitbag::protobuf
