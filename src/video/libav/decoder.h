#pragma once

#include <memory>
#include <string_view>

#include "kitbag/video.h"

namespace kitbag::libav {

/// The formats of foxglove.CompressedVideo.
inline constexpr std::string_view kFormats[] = {"h264", "h265", "vp9", "av1"};

/// A decoder of one of kFormats. Throws Error (unsupported) if this libavcodec has none.
std::unique_ptr<VideoDecoder> create_decoder(std::string_view format, const VideoLimits& limits);

}  // namespace kitbag::libav
