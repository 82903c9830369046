#pragma once

#include "kitbag/picture.h"
#include "plot/drawing.h"
#include "plot/font.h"

namespace kitbag {

/// Draws in pixels, with smooth edges.
Picture raster_of(const Drawing& drawing, const Font& font);

}  // namespace kitbag
