#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kitbag/text.h"

namespace kitbag::lerobot {

/// Which messages of a topic a row is made of.
enum class Sampling {
  last,         ///< the last one that is not later
  nearest,      ///< the one before or behind that is nearer
  interpolate,  ///< of numbers: the line between the one before and the one behind
};

/// Numbers of a topic that become a column.
struct Feature {
  std::string name;   ///< "observation.state"
  std::string topic;  ///< where they come from
  /// Paths of numbers, or of lists of numbers, one after the other in the column.
  std::vector<std::string> fields = {};
  std::string dtype = "float32";        ///< a key of the table in docs/datasets.md
  std::vector<std::string> names = {};  ///< of the numbers; empty: by the fields
  Sampling sampling = Sampling::last;
};

/// A topic with pictures that becomes a column.
struct Camera {
  std::string name;       ///< "observation.images.front"
  std::string topic;      ///< where they come from
  bool is_video = false;  ///< the pictures are in an MP4, and not in the table
  Sampling sampling = Sampling::last;
};

/// A part of the bags that becomes an episode.
struct Range {
  TimePoint start;   ///< its first time
  TimePoint end;     ///< is not part of it
  std::string task;  ///< what the robot does
};

/// Messages that say when episodes begin and end.
struct Events {
  std::string topic;  ///< where they are
  std::string start;  ///< an expression; an episode begins at a message for which it is true
  std::string end;    ///< likewise: it ends before that message; empty: where the next one begins
  std::string task_field;  ///< a text in the message of the start; empty: the task of the dataset
};

/// What a dataset consists of.
struct Config {
  unsigned fps = 0;                             ///< rows in a second
  std::string robot_type = {};                  ///< empty: not told
  std::string task = {};                        ///< of all episodes that have none of their own
  std::vector<Range> ranges = {};               ///< empty: each bag is an episode, or `events` says
  std::optional<Events> events = std::nullopt;  ///< these instead
  std::vector<Feature> features = {};
  std::vector<Camera> cameras = {};

  /// Each bag is an episode.
  bool is_by_bag() const { return ranges.empty() && !events; }
};

/// The dtypes that a feature may have.
const std::vector<std::string>& dtypes();

/// Reads the description of a dataset. Throws Error (invalid) that names the line, for what is no
/// YAML, keys that there are not, with similar ones, and values that cannot be.
Config parse_config(const std::string& text);

}  // namespace kitbag::lerobot
