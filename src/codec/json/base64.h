#pragma once

#include "kitbag/bytes.h"
#include "kitbag/codec.h"

namespace kitbag::json {

/// `bytes` in base64 (RFC 4648, section 4), with padding, behind what `arena` has.
void put_base64(ByteView bytes, Arena& arena);

}  // namespace kitbag::json
