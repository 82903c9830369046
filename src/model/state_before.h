#pragma once

#include <memory>

#include "kitbag/bag.h"

namespace kitbag {

/// The messages of a query with Query::latched_before: first those that were sent once, before the
/// query begins, and are still valid, each marked kState. Throws as Bag::read().
std::unique_ptr<Source> read_with_state(const Bag& bag, const Query& query, const Wait& wait);

}  // namespace kitbag
