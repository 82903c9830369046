#pragma once

#include <optional>

#include "kitbag/bag.h"
#include "kitbag/excerpt.h"
#include "kitbag/registry.h"

namespace kitbag::mcap {

/// As kitbag::excerpt() describes it.
std::optional<Excerpt> excerpt_of(const Input& input, const Query& query,
                                  const ReadOptions& options, const Session& session);

}  // namespace kitbag::mcap
