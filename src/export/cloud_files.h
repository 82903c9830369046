#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "export/point_cloud.h"
#include "kitbag/time.h"

namespace kitbag {

/// A cloud as a file.
struct CloudFile {
  std::string header;
  std::vector<std::byte> points;
};

/// PCD 0.7, binary: all fields as they are, without padding.
CloudFile pcd_file(const PointCloud& cloud, Time time);
/// PLY, binary and little-endian: a property for each value. The packed colours `rgb` and `rgba`
/// become red, green and blue (and alpha). Throws Error (limit) for more than 1,024 values a point.
CloudFile ply_file(const PointCloud& cloud, Time time);

/// A form of files for clouds.
struct CloudFormat {
  std::string_view extension;
  CloudFile (*make)(const PointCloud& cloud, Time time);
};

}  // namespace kitbag
