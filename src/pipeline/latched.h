#pragma once

#include <memory>

#include "kitbag/bag.h"

namespace kitbag {

/// bag.read(), heeding Query::latched_before: who comes in the middle of a recording is given what
/// a late subscriber would have been.
std::unique_ptr<Source> read_with_state(const Bag& bag, const Query& query);

}  // namespace kitbag
