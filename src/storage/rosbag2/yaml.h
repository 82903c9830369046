#pragma once

#include <yaml-cpp/yaml.h>

#include <cstdint>
#include <string>
#include <string_view>

// yaml-cpp is expensive to compile: only the files of this folder include this header.

namespace kitbag::rosbag2 {

/// Throws Error (corrupt).
YAML::Node load_yaml(std::string_view text);

/// The scalar, or "" where there is none.
std::string text_of(const YAML::Node& node);
/// The number, or 0 where there is none. Throws Error (corrupt).
std::uint64_t unsigned_of(const YAML::Node& node);

}  // namespace kitbag::rosbag2
