#include "kitbag/plugin.h"

#include <string_view>

#include "video/libav/decoder.h"

// Video by the libavcodec of the system. A plugin, because the program should start without it.

namespace {

void add_to(kitbag::Registry& registry) {
  for (std::string_view format : kitbag::libav::kFormats) {
    registry.video_codecs.push_back({format, [format](const kitbag::VideoLimits& limits) {
                                       return kitbag::libav::create_decoder(format, limits);
                                     }});
  }
}

}  // namespace

KITBAG_PLUGIN(add_to);
