#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace kitbag::demo {

enum TopicIndex : std::size_t {
  kMap,
  kStaticTransforms,
  kTransforms,
  kOdometry,
  kImu,
  kScan,
  kImage,
  kPoints,
  kDiagnostics,
  kBattery,
  kPath,
  kLog
};

/// What the robot sends on one topic, and how often.
struct Topic {
  std::string_view name;
  std::string_view type;
  std::string_view md5sum;     ///< of the type, as ROS has it
  std::string_view parameter;  ///< of the URI, for the rate; empty: it is sent once, latched
  double rate;                 ///< in messages a second
};

/// The topics, in the order of their channels: by TopicIndex.
const std::vector<Topic>& topics();

}  // namespace kitbag::demo
