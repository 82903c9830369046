#pragma once

#include <optional>
#include <string>

#include "kitbag/catalog.h"
#include "kitbag/database.h"
#include "payload/condition_bounds.h"

namespace kitbag::catalog {

/// Log times between which messages may meet a condition.
struct PossibleTimes {
  Time begin = Time::min();
  Time end = Time::max();  ///< exclusive
};

/// Returns where in a bag a condition may be met, by what the catalog knows of its numbers.
/// Nothing: nowhere. Throws as Database::run() does, and Error (corrupt).
std::optional<PossibleTimes> possible_times(Database& database, std::int64_t bag,
                                            const ConditionBounds& condition,
                                            const FindQuery& query);

}  // namespace kitbag::catalog
