#include "kitbag/plugin.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "video/libav/decoder.h"
#include "video/libav/encoder.h"

// Video by the libavcodec of the system. A plugin, because the program should start without it.

namespace {

void add_to(kitbag::Registry& registry) {
  for (std::string_view format : kitbag::libav::kFormats) {
    kitbag::VideoCodec codec{format, [format](const kitbag::VideoLimits& limits) {
                               return kitbag::libav::create_decoder(format, limits);
                             }};
    const auto& encoded = kitbag::libav::kEncodedFormats;
    if (std::find(std::begin(encoded), std::end(encoded), format) != std::end(encoded)) {
      codec.encode = [format](const kitbag::VideoEncoding& encoding) {
        return kitbag::libav::create_encoder(format, encoding);
      };
    }
    registry.video_codecs.push_back(std::move(codec));
  }
}

}  // namespace

KITBAG_PLUGIN(add_to);
