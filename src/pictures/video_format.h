#pragma once

#include <string>
#include <string_view>

namespace kitbag {

/// The name of a format of video that a VideoCodec has: "h265" of "HEVC", "hevc_nvenc" and
/// "hevc;bgr8"; empty: it is not known.
std::string video_format(std::string_view format);

}  // namespace kitbag
