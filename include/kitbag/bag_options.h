#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kitbag/export.h"

namespace kitbag::rosbag2 {

/// The options of a bag in a file for `ros2 bag convert`, in their order: each key with its values.
/// A scalar is one value, an empty one none; the entries of a map are KEY=VALUE.
using BagOptions = std::vector<std::pair<std::string, std::vector<std::string>>>;

/// Parses a file for `ros2 bag convert`: the options of each bag in `list`, which is "output_bags"
/// or "input_bags". Throws Error: corrupt for other YAML; limit for too much of it. Any thread.
KITBAG_API std::vector<BagOptions> parse_bag_options(std::string_view text, std::string_view list);

}  // namespace kitbag::rosbag2
