#pragma once

#include <cstdint>
#include <vector>

#include "kitbag/bag.h"
#include "kitbag/time.h"

namespace kitbag {

/// Returns, for each of `bags`, its slots whose messages are repeats (is_repeated()) that a bag
/// which starts earlier has, too; 1 means so, and the list may be shorter than the table of
/// channels. The bag that starts first has none. Throws Error as Bag::read() does, but not for
/// damage, which the reading of the bags reports.
std::vector<std::vector<std::uint8_t>> known_repeats(const std::vector<BagPtr>& bags,
                                                     const Wait& wait);

}  // namespace kitbag
