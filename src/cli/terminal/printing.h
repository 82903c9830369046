#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "kitbag/print.h"

namespace kitbag::cli {

/// When there are colors; automatic: on a terminal, unless NO_COLOR is set.
enum class Coloring : std::uint8_t { automatic, always, never };

/// How messages are printed, on a terminal or elsewhere.
struct PrintingOptions : PrintOptions {
  Coloring coloring = Coloring::automatic;
  /// Lists are cut behind this many elements; absent: on a terminal only; 0: never.
  std::optional<std::size_t> elided_behind = {};
};

}  // namespace kitbag::cli
