#pragma once

#include "kitbag/plot.h"
#include "plot/drawing.h"
#include "plot/font.h"

namespace kitbag {

/// Arranges a plot in pixels. Throws Error (invalid) for a style out of range.
Drawing layout(const Plot& plot, const PlotStyle& style, const Font& font);

}  // namespace kitbag
