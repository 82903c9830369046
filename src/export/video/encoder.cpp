#include "export/video/encoder.h"

namespace kitbag::libav {
namespace {

constexpr unsigned kStreamedKeyFrames = 50;  ///< one in so many

}  // namespace

std::unique_ptr<PictureEncoder> encoder_for(Container container, std::uint32_t width,
                                            std::uint32_t height, const VideoOptions& options,
                                            bool is_streamed) {
  PictureEncoding encoding;
  encoding.width = width;
  encoding.height = height;
  encoding.ticks_per_second = ticks_of(container).per_second;
  encoding.crf = options.crf;
  encoding.preset = options.preset;
  encoding.frames_a_key = options.frames_a_key;
  if (is_streamed && encoding.frames_a_key == 0) encoding.frames_a_key = kStreamedKeyFrames;
  encoding.gives_at_once = is_streamed;
  encoding.has_parameters_apart = true;
  return std::make_unique<PictureEncoder>(encoding);
}

}  // namespace kitbag::libav
