#pragma once

#include <vector>

#include "kitbag/bag.h"
#include "kitbag/catalog.h"

namespace kitbag::catalog {

/// Returns what recorders say in a bag of messages that are not in it, by topic: the metadata
/// records `kitbag_recording` (docs/live.md). Several of them, as in a merged bag, are added up.
std::vector<CatalogDrops> drops_of(const Bag& bag);

}  // namespace kitbag::catalog
