#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kitbag/bytes.h"
#include "kitbag/export.h"

namespace kitbag {

/// Returns `bytes` as base64 with padding (RFC 4648, section 4).
KITBAG_API std::string encode_base64(ByteView bytes);

/// Decodes base64 with padding; nothing if `text` is malformed.
KITBAG_API std::optional<std::vector<std::byte>> decode_base64(std::string_view text);

}  // namespace kitbag
