#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "kitbag/plot.h"
#include "plot/ticks.h"

namespace kitbag {

/// Curves that share a vertical axis.
struct Panel {
  std::vector<std::size_t> curves;  ///< of Plot::curves, also for their colors
  Range y;
};

/// What is drawn, before it has places: the ranges of all axes.
struct Panels {
  Range x;
  std::vector<Panel> panels;
};

/// Throws Error (invalid) for a range that is none.
Panels panels_of(const Plot& plot, const PlotStyle& style, bool is_stacked);

/// Makes a unit as long on all axes, of panels of that size: ranges that are drawn too large grow.
void make_scales_equal(Panels& panels, double width, double height);

std::vector<Tick> x_ticks(const Plot& plot, const PlotStyle& style, const Range& x,
                          std::size_t most);
/// With names where all curves of the panel have the same.
std::vector<Tick> y_ticks(const Plot& plot, const Panel& panel, std::size_t most);
/// What the horizontal axis shows.
std::string x_caption(const Plot& plot, const PlotStyle& style, const Range& x);

/// Names of curves as people can read them on one line.
std::string shown_name(const PlotCurve& curve);
/// The same of the title.
std::string shown_title(const PlotStyle& style);

}  // namespace kitbag
