#pragma once

#include <cstddef>
#include <string_view>

#include "kitbag/registry.h"

namespace kitbag {

/// `input`, whose first bytes are damaged, as if it began with `head`.
Input with_head(const Input& input, std::string_view head);

/// In how many bytes the beginning of `input` differs from `head`; those that it lacks count.
std::size_t difference_to_head(const Input& input, std::string_view head);

/// A beginning that differs in more bytes than this is not taken for a damaged one.
inline constexpr std::size_t kMostDamagedBytes = 4;

}  // namespace kitbag
