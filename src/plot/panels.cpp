#include "plot/panels.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kitbag/error.h"
#include "kitbag/escape.h"
#include "kitbag/text.h"

// What SVG, PNG and text have in common, before anything has a place: which curves share an axis,
// what the axes span and what they are labeled with.
//
// A time axis ends where the values do, since a recording has no time around it. Other axes have
// some room, so that a curve does not run along the border. A range that the user gives is taken as
// it is, but only if its padded form is wider: else its numbers are so close to each other, or so
// large, that positions in it cannot be calculated.

namespace kitbag {
namespace {

/// A time axis that begins with less than this, as a share of its length, begins with 0.
constexpr double kStart = 0.02;

/// The least and the greatest of some values.
class Extent {
 public:
  void add(double value) {
    least_ = has_any_ ? std::min(least_, value) : value;
    greatest_ = has_any_ ? std::max(greatest_, value) : value;
    has_any_ = true;
  }
  /// Without values, from 0 to 1.
  Range range() const { return has_any_ ? padded(least_, greatest_) : Range{}; }
  /// The same without room around.
  Range tight() const {
    return has_any_ && least_ < greatest_ ? Range{least_, greatest_} : range();
  }

 private:
  bool has_any_ = false;
  double least_ = 0;
  double greatest_ = 0;
};

Range y_range(const Plot& plot, const Panel& panel, const PlotStyle& style) {
  if (style.y) {
    Range range{style.y->first, style.y->second};
    Range sound = padded(range.least, range.greatest);
    bool is_valid = std::isfinite(range.least) && std::isfinite(range.greatest) &&
                    range.least < range.greatest && sound.least < range.least &&
                    sound.greatest > range.greatest;
    if (!is_valid) {
      throw Error(ErrorCode::invalid,
                  fmt::format("invalid range of the vertical axis, from {} to {}", range.least,
                              range.greatest));
    }
    return range;
  }
  Extent extent;
  for (std::size_t index : panel.curves) {
    for (const PlotPoint& each : plot.curves[index].points) {
      extent.add(each.min);
      extent.add(each.max);
    }
  }
  return extent.range();
}

}  // namespace

Panels panels_of(const Plot& plot, const PlotStyle& style, bool is_stacked) {
  Panels panels;
  Extent x;
  for (const PlotCurve& curve : plot.curves) {
    for (const PlotPoint& each : curve.points) x.add(each.x);
  }
  panels.x = plot.against.empty() ? x.tight() : x.range();
  bool is_from_start = plot.against.empty() && style.times == PlotTimes::start;
  double span = panels.x.greatest - panels.x.least;
  // The first message comes a little later than 0.
  if (is_from_start && panels.x.least > 0 && panels.x.least < kStart * span) panels.x.least = 0;
  for (std::size_t i = 0; i < plot.curves.size(); ++i) {
    if (i == 0 || is_stacked) panels.panels.emplace_back();
    panels.panels.back().curves.push_back(i);
  }
  if (panels.panels.empty()) panels.panels.emplace_back();
  for (Panel& panel : panels.panels) panel.y = y_range(plot, panel, style);
  return panels;
}

void make_scales_equal(Panels& panels, double width, double height) {
  auto span = [](const Range& range) { return range.greatest - range.least; };
  double unit = span(panels.x) / width;
  for (const Panel& panel : panels.panels) unit = std::max(unit, span(panel.y) / height);
  auto grow = [&](Range& range, double length) {
    double more = (unit * length - span(range)) / 2;
    range = {range.least - more, range.greatest + more};
  };
  grow(panels.x, width);
  for (Panel& panel : panels.panels) grow(panel.y, height);
}

std::vector<Tick> x_ticks(const Plot& plot, const PlotStyle& style, const Range& x,
                          std::size_t most) {
  bool is_utc = plot.against.empty() && style.times == PlotTimes::utc;
  return is_utc ? time_ticks(x, plot.start, most) : number_ticks(x, most, false);
}

std::vector<Tick> y_ticks(const Plot& plot, const Panel& panel, std::size_t most) {
  bool are_whole = !panel.curves.empty();
  bool are_named = are_whole;
  for (std::size_t index : panel.curves) {
    const PlotCurve& curve = plot.curves[index];
    are_whole &= curve.is_whole;
    // Names of two enumerations on one axis would mean different things at the same height.
    are_named &= !curve.names.empty() && curve.names == plot.curves[panel.curves[0]].names;
  }
  if (are_named) {
    auto ticks = name_ticks(panel.y, plot.curves[panel.curves[0]].names, most);
    if (!ticks.empty()) return ticks;
  }
  return number_ticks(panel.y, most, are_whole);
}

std::string x_caption(const Plot& plot, const PlotStyle& style, const Range& x) {
  if (!plot.against.empty()) return escaped(plot.against);
  std::string what = plot.time == RowTime::header_stamp   ? "header.stamp, "
                     : plot.time == RowTime::publish_time ? "publish time, "
                                                          : "";
  if (style.times == PlotTimes::utc) return what + days_of(x, plot.start) + " UTC";
  std::string from = format_time(plot.start);  // with nine decimals, of which zeros say nothing
  from.pop_back();
  from.erase(from.find_last_not_of('0') + 1);
  if (from.ends_with('.')) from.pop_back();
  return what + "seconds from " + from + "Z";
}

std::string shown_name(const PlotCurve& curve) {
  return escaped(curve.name());
}

std::string shown_title(const PlotStyle& style) {
  std::string title = escaped_lines(style.title);
  std::replace(title.begin(), title.end(), '\n', ' ');
  std::replace(title.begin(), title.end(), '\t', ' ');
  return title;
}

}  // namespace kitbag
