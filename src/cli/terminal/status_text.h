#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "kitbag/time.h"

namespace kitbag::cli {

/// A part of a line, with what separates it from the part before.
struct StatusPart {
  std::string text;
  int rank = 0;  ///< where room is short, the highest are left out first; 0 stays
};

/// How some work is going, as one line shows it.
struct StatusText {
  std::optional<double> share = std::nullopt;  ///< what is done, 0 to 1: a bar in front
  std::vector<StatusPart> parts = {};
};

/// The text in at most `columns` columns, escaped: a shorter bar, then fewer parts, then without
/// its end.
std::string fitted(const StatusText& text, std::size_t columns);

/// "3.1s": in tenths of a second, as the line is drawn ten times a second.
std::string passed(Duration duration);

}  // namespace kitbag::cli
