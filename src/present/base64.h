#pragma once

#include <string>

#include "codec/json/base64.h"
#include "kitbag/bytes.h"

namespace kitbag {

/// RFC 4648, section 4, with padding.
inline std::string base64(ByteView bytes) {
  Arena arena;
  arena.begin();
  json::put_base64(bytes, arena);
  return std::string(as_text(arena.end()));
}

}  // namespace kitbag
