#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kitbag/database.h"

namespace kitbag::catalog {

/// The statements that add to a catalog what makes lists and searches fast: indexes in the order of
/// the list, and of the texts.
std::vector<std::string> search_step(const SqlDialect& dialect);

/// Bags longer than this, a day, have an index of their own.
inline constexpr std::int64_t kLongNs = 86'400'000'000'000;
/// The condition of that index, for rows of `bags`.
std::string is_long_condition();

}  // namespace kitbag::catalog
