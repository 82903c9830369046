#pragma once

#include <memory>
#include <string_view>

#include "kitbag/video.h"

namespace kitbag::libav {

/// The formats that pictures can be encoded in.
inline constexpr std::string_view kEncodedFormats[] = {"h264", "h265"};

/// An encoder in one of kEncodedFormats. Throws Error: unsupported if this libavcodec has none,
/// invalid for what it cannot encode.
std::unique_ptr<VideoEncoder> create_encoder(std::string_view format,
                                             const VideoEncoding& encoding);

}  // namespace kitbag::libav
