#pragma once

#include <memory>
#include <vector>

#include "kitbag/bag.h"

namespace kitbag {

/// Returns several sources as one. Each must be in `order`, and so is the result; messages with
/// equal times keep the order of `sources`. With Order::file, one source follows the other.
/// Channels with the same content become one channel. Each input holds one batch.
KITBAG_API std::unique_ptr<Source> merge(std::vector<std::unique_ptr<Source>> sources, Order order,
                                         TimeField by = TimeField::log_time);

}  // namespace kitbag
