#include "plot/strokes.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

// Of all that a column of pixels shows of a line, four spots are enough: where it comes in, the
// highest and the lowest spot, and where it goes out. Lines drawn through them cover the same
// pixels as through all spots.
//
// A gap that is narrower than a column is not shown.

namespace kitbag {
namespace {

/// A spot farther out of the drawing than this many times its height is moved to there.
/// A value of 1e300 on an axis up to 1 would not fit into the integers in which places are drawn.
/// Nearer spots keep their places, so what is seen of a line to them has the right slope.
constexpr double kMostHeights = 10;

/// What one column has of a line.
class Column {
 public:
  void add(const Spot& spot) {
    if (!has_any_) first_ = low_ = high_ = spot;
    has_any_ = true;
    if (spot.y > low_.y) {
      low_ = spot;
      is_low_last_ = true;
    }
    if (spot.y < high_.y) {
      high_ = spot;
      is_low_last_ = false;
    }
    last_ = spot;
  }

  void move_to(Line& line) {
    if (!has_any_) return;
    put(first_, line);
    put(is_low_last_ ? high_ : low_, line);
    put(is_low_last_ ? low_ : high_, line);
    put(last_, line);
    *this = {};
  }

 private:
  static void put(const Spot& spot, Line& line) {
    if (line.empty() || line.back() != spot) line.push_back(spot);
  }

  bool has_any_ = false;
  bool is_low_last_ = false;
  Spot first_;
  Spot low_;
  Spot high_;
  Spot last_;
};

class Lines {
 public:
  explicit Lines(bool is_path) : is_path_(is_path) {}

  void add(const Spot& spot) {
    double column = std::floor(spot.x);
    if (is_path_ || column != column_) column_spots_.move_to(line_);
    column_ = column;
    if (line_.empty()) begun_in_ = std::min(begun_in_.value_or(column), column);
    column_spots_.add(spot);
  }

  /// A gap; the next spot is at `next_x`.
  void interrupt(double next_x) {
    if (!is_path_ && begun_in_ && std::floor(next_x) == *begun_in_) return;
    end();
  }

  void end() {
    column_spots_.move_to(line_);
    if (!line_.empty()) lines_.push_back(std::exchange(line_, {}));
    begun_in_.reset();
  }

  std::vector<Line> take() {
    end();
    return std::move(lines_);
  }

 private:
  bool is_path_;
  double column_ = -HUGE_VAL;
  std::optional<double> begun_in_;  ///< the column of the first spot of the line
  Column column_spots_;
  Line line_;
  std::vector<Line> lines_;
};

}  // namespace

std::vector<Line> lines_of(const PlotCurve& curve, const Scale& x, const Scale& y, bool is_path) {
  Lines lines(is_path);
  double height = std::abs(y.end - y.begin);
  double top = std::min(y.begin, y.end) - kMostHeights * height;
  double bottom = std::max(y.begin, y.end) + kMostHeights * height;
  auto y_of = [&](double value) { return std::clamp(y.at(value), top, bottom); };
  double width = std::abs(x.end - x.begin);
  double before = 0;
  bool is_first = true;
  for (const PlotPoint& each : curve.points) {
    double at = std::clamp(x.at(each.x), std::min(x.begin, x.end) - kMostHeights * width,
                           std::max(x.begin, x.end) + kMostHeights * width);
    bool is_connected = each.is_connected && !is_first;
    if (!is_connected) lines.interrupt(at);
    if (is_connected && curve.is_state) lines.add({at, y_of(before)});
    if (each.min != each.max) {
      // Which extreme of a part came first is not kept. Where the last value is one of them, that
      // one came last; else the line goes to the nearer one first.
      bool is_min_first =
          each.last == each.max || (each.last != each.min && !is_first &&
                                    std::abs(each.min - before) < std::abs(each.max - before));
      lines.add({at, y_of(is_min_first ? each.min : each.max)});
      lines.add({at, y_of(is_min_first ? each.max : each.min)});
    }
    lines.add({at, y_of(each.last)});
    before = each.last;
    is_first = false;
  }
  return lines.take();
}

}  // namespace kitbag
