#pragma once

#include <span>
#include <string>

#include "kitbag/bytes.h"

namespace kitbag {

/// Returns the SHA-256 of the pieces, one after the other, as 64 hexadecimal digits.
std::string sha256(std::span<const ByteView> pieces);

}  // namespace kitbag
