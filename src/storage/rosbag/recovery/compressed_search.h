#pragma once

#include <optional>

#include "storage/rosbag/recovery/search.h"

/// Finding compressed chunks by what their data begins with, where their record is lost.
namespace kitbag::rosbag {

/// A head for the compressed data that begins first, at or behind `from`, and goes on to `end` at
/// most, where `search` ends.
std::optional<ChunkHead> find_compressed(RecordSearch& search, std::uint64_t from,
                                         std::uint64_t end);

}  // namespace kitbag::rosbag
