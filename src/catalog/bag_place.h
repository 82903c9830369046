#pragma once

#include <compare>
#include <cstdint>
#include <string>

namespace kitbag::catalog {

/// Where a bag is in the list: bags are ordered by their start, and then by their number.
struct BagPlace {
  std::int64_t start_ns = 0;
  std::int64_t bag = 0;

  auto operator<=>(const BagPlace&) const = default;
};

/// Returns the place as a cursor. The other way round, throws Error (invalid) for other texts.
std::string cursor_of(const BagPlace& place);
BagPlace place_of_cursor(const std::string& cursor);

}  // namespace kitbag::catalog
