#pragma once

#include <array>
#include <string_view>

namespace kitbag {

/// A format of exports that is a plugin, and what brings it.
struct OwnExport {
  std::string_view format;
  std::string_view plugin;      ///< the name behind "export_"
  std::string_view package;     ///< the Debian package, behind "kitbag-"
  std::string_view built_with;  ///< packages
};

inline constexpr std::string_view kForVideo = "libavcodec-dev, libavformat-dev and libswscale-dev";
inline constexpr std::array kOwnExports{OwnExport{"hdf5", "hdf5", "hdf5", "libhdf5-dev"},
                                        OwnExport{"mp4", "video", "video", kForVideo},
                                        OwnExport{"mkv", "video", "video", kForVideo}};

}  // namespace kitbag
