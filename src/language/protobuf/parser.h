#pragma once

#include "kitbag/message.h"
#include "kitbag/type.h"

namespace kitbag::protobuf {

/// What one set of descriptors may hold.
inline constexpr std::size_t kMaxSetBytes = 16 << 20;

/// The type of the message `schema.name` in a serialized FileDescriptorSet. Throws Error: corrupt
/// where the text is no such set, or one that does not hold together; unsupported where a file is
/// in a later syntax than proto3; limit where there is more than anybody has written; not_found
/// where the message is not in it.
TypePtr parse(const Schema& schema);

}  // namespace kitbag::protobuf
