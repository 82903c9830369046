#include "plot/path_points.h"

#include <algorithm>
#include <cmath>

// A path has no axis by which it could be divided into parts. A point is left out if it is near the
// last one that was kept, where near is a quarter of a pixel of a large plot. What the whole plot
// will span is not known before the end, so too many points are kept at first. When there are too
// many, they are thinned out by what is known then. Only a path that fills the plot has too many
// even so; then the distance that counts as near is doubled.
//
// The points farthest to each side are always kept. A gap between points that are near each other
// cannot be seen, and is not kept.

namespace kitbag {

void PathPoints::add(double x, double y) {
  if (!std::isfinite(x) || !std::isfinite(y)) {
    is_kept_ = true;
    is_behind_gap_ = true;
    return;
  }
  Point point{x, y, !is_behind_gap_};
  is_behind_gap_ = false;
  bool is_first = kept_.empty();
  bool is_farthest = is_first || x < x_.least || x > x_.greatest || y < y_.least || y > y_.greatest;
  x_ = is_first ? Extent{x, x} : Extent{std::min(x_.least, x), std::max(x_.greatest, x)};
  y_ = is_first ? Extent{y, y} : Extent{std::min(y_.least, y), std::max(y_.greatest, y)};
  last_ = point;
  is_kept_ = is_farthest || !is_near(point, kept_.back());
  if (!is_kept_) return;
  kept_.push_back(point);
  if (kept_.size() >= most_points_) thin_out();
}

bool PathPoints::is_near(const Point& a, const Point& b) const {
  // Halves, because a difference can be greater than the greatest number.
  auto is_within = [&](double from, double to, const Extent& extent) {
    return std::abs(from / 2 - to / 2) <= nearness_ * (extent.greatest / 2 - extent.least / 2);
  };
  return is_within(a.x, b.x, x_) && is_within(a.y, b.y, y_);
}

void PathPoints::thin_out() {
  // To a half, so that the next pass over all points comes after as many new ones: each point costs
  // the same on average, however long the path is.
  while (kept_.size() > most_points_ / 2) {
    std::vector<Point> all = std::move(kept_);
    kept_.clear();
    bool has_side[4] = {};
    auto is_side = [&](double value, double farthest, bool& has) {
      bool is_first = value == farthest && !has;
      has |= is_first;
      return is_first;
    };
    for (const Point& each : all) {
      bool is_left = is_side(each.x, x_.least, has_side[0]);
      bool is_right = is_side(each.x, x_.greatest, has_side[1]);
      bool is_low = is_side(each.y, y_.least, has_side[2]);
      bool is_high = is_side(each.y, y_.greatest, has_side[3]);
      bool is_kept =
          is_left || is_right || is_low || is_high || kept_.empty() || !is_near(each, kept_.back());
      if (is_kept) kept_.push_back(each);
    }
    if (kept_.size() > most_points_ / 2) nearness_ *= 2;
  }
}

std::vector<PlotPoint> PathPoints::points() const {
  std::vector<PlotPoint> points;
  auto put = [&](const Point& each) {
    points.push_back({each.x, each.y, each.y, each.y, each.is_connected});
  };
  for (const Point& each : kept_) put(each);
  if (!is_kept_) put(last_);
  return points;
}

}  // namespace kitbag
