#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "kitbag/export.h"
#include "kitbag/message.h"
#include "kitbag/transport.h"

/// What rosbag2 and its users write as YAML: quality of service, and topics with their types.
namespace kitbag::rosbag2 {

struct QosTime {
  std::uint64_t sec = 0;
  std::uint64_t nsec = 0;
};

/// The quality of service that a publisher offered; enumerations by their numbers in rmw, where 0
/// is the system's default. Times of 0: no limit.
struct QosProfile {
  enum History { kKeepLast = 1, kKeepAll = 2 };
  enum Reliability { kReliable = 1, kBestEffort = 2 };
  enum Durability { kTransientLocal = 1, kVolatile = 2 };
  enum Liveliness { kAutomatic = 1, kManualByNode = 2, kManualByTopic = 3 };

  int history = 0;
  std::uint64_t depth = 0;
  int reliability = 0;
  int durability = 0;
  QosTime deadline;
  QosTime lifespan;
  int liveliness = 0;
  QosTime liveliness_lease_duration;
  bool avoid_ros_namespace_conventions = false;
};

/// How enumerations are written: up to version 8 of the metadata as numbers, from 9 on by name.
enum class QosForm { numbers, names };
constexpr QosForm qos_form(int metadata_version) {
  return metadata_version < 9 ? QosForm::numbers : QosForm::names;
}

/// Profiles in either form, as YAML text; none for an empty text. Throws Error (corrupt).
KITBAG_API std::vector<QosProfile> parse_qos(std::string_view text);
/// The YAML sequence of them; "" for none.
KITBAG_API std::string print_qos(const std::vector<QosProfile>& profiles, QosForm form);

/// What a bag of rosbag2 says of the channel: its `offered_qos_profiles` in the form asked for, and
/// as they are where they cannot be understood. A latched channel of ROS 1 offers its last message,
/// as a transient_local publisher does.
KITBAG_API std::string qos_of(const Channel& channel, QosForm form);

/// A file as `ros2 bag --qos-profile-overrides-path` takes it: profiles by topic. Throws Error
/// (corrupt).
KITBAG_API std::map<std::string, QosProfile> parse_qos_overrides(std::string_view text);

/// A file as `ros2 bag record --static-topics-path` takes it: "static_topics_and_types_list", with
/// entries "[/topic, package/msg/Type]". Throws Error (corrupt).
KITBAG_API std::vector<ExpectedTopic> parse_static_topics(std::string_view text);

}  // namespace kitbag::rosbag2
