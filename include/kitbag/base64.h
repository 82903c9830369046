#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "kitbag/export.h"

namespace kitbag {

/// Decodes base64 with padding (RFC 4648, section 4); nothing if `text` is malformed.
KITBAG_API std::optional<std::vector<std::byte>> decode_base64(std::string_view text);

}  // namespace kitbag
