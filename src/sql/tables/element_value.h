#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "kitbag/arrow.h"

namespace kitbag::sql {

/// Pairs of texts as a JSON object. Of several with one key, the last counts.
void append_pairs(std::string& text, const ArrowSchema& schema, const ArrowArray& array,
                  std::int64_t row);

/// The nanoseconds in a structure `sec` and `nsec`, as JSON has times. Nothing: it has none.
std::optional<std::int64_t> time_in(const ArrowSchema& schema, const ArrowArray& array,
                                    std::int64_t row);

}  // namespace kitbag::sql
