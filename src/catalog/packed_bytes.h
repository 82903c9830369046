#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "base/buffer.h"
#include "kitbag/bytes.h"

namespace kitbag::catalog {

/// Returns bytes compressed with zstd, as the catalog stores them.
std::vector<std::byte> compressed(ByteView bytes);
/// Returns what compressed() was given. Nothing: these are no such bytes, or more than 64 MiB.
std::optional<Buffer> decompressed(ByteView bytes);

}  // namespace kitbag::catalog
