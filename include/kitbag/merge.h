#pragma once

#include <memory>
#include <vector>

#include "kitbag/bag.h"

namespace kitbag {

/// Several sources, each in `order`, as one in `order`; ties by position in `sources`. Order::file:
/// one after the other. Channels of equal content become one channel.
KITBAG_API std::unique_ptr<Source> merge(std::vector<std::unique_ptr<Source>> sources, Order order,
                                         TimeField by = TimeField::log_time);

}  // namespace kitbag
