#include <fmt/format.h>

#include "kitbag/bytes.h"
#include "kitbag/error.h"
#include "kitbag/picture.h"
#include "kitbag/plot.h"
#include "plot/font.h"
#include "plot/layout.h"
#include "plot/raster.h"
#include "plot/svg.h"

namespace kitbag {
namespace {

/// 192 MiB in memory. The sides have a limit of their own, whose square is four times this.
constexpr std::uint64_t kMostPngPixels = 64 << 20;

}  // namespace

std::string plot_svg(const Plot& plot, const PlotStyle& style) {
  return svg_of(layout(plot, style, Font()));
}

std::string plot_png(const Plot& plot, const PlotStyle& style) {
  if (std::uint64_t{style.width} * style.height > kMostPngPixels) {
    throw Error(ErrorCode::limit, fmt::format("a picture of {}x{} is too large; it may have {} "
                                              "pixels",
                                              style.width, style.height, kMostPngPixels));
  }
  Font font;
  Picture picture = raster_of(layout(plot, style, font), font);
  std::vector<std::byte> file = encode_picture(picture, PictureFormat::png);
  return std::string(as_text(file));
}

}  // namespace kitbag
