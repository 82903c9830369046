#pragma once

#include <cstdint>
#include <span>

#include "base/buffer.h"

namespace kitbag::parquet {

/// Appends `values` by the encoding DELTA_BINARY_PACKED: the differences of neighbours, with as few
/// bits as the largest of 32 takes. Signed numbers are passed as their bits.
void put_deltas(Buffer& out, std::span<const std::uint32_t> values);
void put_deltas(Buffer& out, std::span<const std::uint64_t> values);

}  // namespace kitbag::parquet
