#pragma once

#include <vector>

#include "kitbag/plot.h"
#include "plot/ticks.h"

namespace kitbag {

/// A place in a drawing; y goes down.
struct Spot {
  double x = 0;
  double y = 0;

  bool operator==(const Spot&) const = default;
};

/// Spots that are connected, one after the other.
using Line = std::vector<Spot>;

/// Where the values of an axis are drawn.
struct Scale {
  Range range;
  double begin = 0;  ///< where the least value is
  double end = 1;    ///< where the greatest value is

  double at(double value) const {
    return begin + (value - range.least) / (range.greatest - range.least) * (end - begin);
  }
};

/// Returns the curve as lines, which end at gaps. For a curve over time (`is_path` false) they have
/// at most four spots for each whole number of `x`, among them the highest and the lowest one.
std::vector<Line> lines_of(const PlotCurve& curve, const Scale& x, const Scale& y, bool is_path);

}  // namespace kitbag
