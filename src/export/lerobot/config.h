#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kitbag/text.h"

namespace kitbag::lerobot {

/// Numbers of a topic that become a column.
struct Feature {
  std::string name;   ///< "observation.state"
  std::string topic;  ///< where they come from
  /// Paths of numbers, or of lists of numbers, one after the other in the column.
  std::vector<std::string> fields = {};
  std::string dtype = "float32";        ///< a key of the table in docs/datasets.md
  std::vector<std::string> names = {};  ///< of the numbers; empty: by the fields
};

/// A topic with pictures that becomes a column.
struct Camera {
  std::string name;   ///< "observation.images.front"
  std::string topic;  ///< where they come from
};

/// A part of the bags that becomes an episode.
struct Range {
  TimePoint start;   ///< its first time
  TimePoint end;     ///< is not part of it
  std::string task;  ///< what the robot does
};

/// What a dataset consists of.
struct Config {
  unsigned fps = 0;                ///< rows in a second
  std::string robot_type = {};     ///< empty: not told
  std::string task = {};           ///< of all episodes that have none of their own
  std::vector<Range> ranges = {};  ///< empty: each bag is an episode
  std::vector<Feature> features = {};
  std::vector<Camera> cameras = {};
};

/// The dtypes that a feature may have.
const std::vector<std::string>& dtypes();

/// Reads the description of a dataset. Throws Error (invalid) that names the line, for what is no
/// YAML, keys that there are not, with similar ones, and values that cannot be.
Config parse_config(const std::string& text);

}  // namespace kitbag::lerobot
