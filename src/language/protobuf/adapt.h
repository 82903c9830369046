#pragma once

#include "kitbag/type.h"

namespace kitbag::protobuf {

/// What comes nearest to `type` in protobuf: names with dots, times as google.protobuf.Timestamp
/// and Duration. Numbers keep their kinds, which the encoding widens. Throws Error (unsupported)
/// for unions and for lists of lists.
TypePtr adapt(const Type& type);

}  // namespace kitbag::protobuf
