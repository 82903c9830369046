#pragma once

#include <cstddef>
#include <vector>

#include "kitbag/plot.h"

namespace kitbag {

/// The points of a curve that is not over time, so many that none is missing at the resolution of a
/// plot.
class PathPoints {
 public:
  explicit PathPoints(std::size_t most_points) : most_points_(most_points) {}

  /// Adds the next point; one with NaN is a gap.
  void add(double x, double y);

  std::vector<PlotPoint> points() const;

 private:
  struct Point {
    double x = 0;
    double y = 0;
    bool is_connected = false;
  };
  struct Extent {
    double least = 0;
    double greatest = 0;
  };

  bool is_near(const Point& a, const Point& b) const;
  void thin_out();

  std::size_t most_points_;
  double nearness_ = 1.0 / 4096;  ///< of the extent of all points
  std::vector<Point> kept_;
  Point last_;           ///< the last one that was added
  bool is_kept_ = true;  ///< the last one is in `kept_`
  bool is_behind_gap_ = true;
  Extent x_;
  Extent y_;
};

}  // namespace kitbag
