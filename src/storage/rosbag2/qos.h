#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kitbag/message.h"

/// What rosbag2 says in every storage: quality of service, and metadata.yaml.
namespace kitbag::rosbag2 {

struct QosTime {
  std::uint64_t sec = 0;
  std::uint64_t nsec = 0;
};

/// The quality of service that a publisher offered; enumerations by their numbers in rmw.
struct QosProfile {
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
std::vector<QosProfile> parse_qos(std::string_view text);
/// The YAML sequence of them; "" for none.
std::string print_qos(const std::vector<QosProfile>& profiles, QosForm form);

/// What a bag of rosbag2 says of the channel: its `offered_qos_profiles` in the form asked for, and
/// as they are where they cannot be understood. A latched channel of ROS 1 offers its last message,
/// as a transient_local publisher does.
std::string qos_of(const Channel& channel, QosForm form);

}  // namespace kitbag::rosbag2
