#pragma once

#include <cstdint>

#include "base/buffer.h"
#include "kitbag/file.h"
#include "storage/mcap/records.h"

namespace kitbag::mcap {

/// A filler: a private record of zeros that brings what comes behind it into line with the pages of
/// memory, for O_DIRECT. It says nothing; readers of private records need not know it, and ours do
/// not show it.
inline constexpr std::uint8_t kFillerOp = 0xDF;
inline constexpr std::size_t kLeastFiller = kRecordHead;

/// Appends a filler of `bytes`, at least kLeastFiller, or nothing for 0.
void append_filler(Buffer& out, std::size_t bytes);
/// Whether the record of `bytes` at `offset` is one.
bool is_filler(const ReadFile& file, std::uint64_t offset, std::uint8_t op, std::uint64_t bytes);

}  // namespace kitbag::mcap
