#pragma once

#include <memory>

#include "kitbag/bag.h"

namespace kitbag {

/// The messages of a query with Query::latched_before: who comes in the middle of a recording is
/// given what was said once, before, and still holds. Each such message is marked kState. Throws as
/// Bag::read().
std::unique_ptr<Source> read_with_state(const Bag& bag, const Query& query, const Wait& wait);

}  // namespace kitbag
