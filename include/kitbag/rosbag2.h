#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "kitbag/export.h"
#include "kitbag/message.h"
#include "kitbag/transport.h"

/// YAML texts of rosbag2 and its users: quality of service (QoS), and topics with their types.
namespace kitbag::rosbag2 {

/// A duration in a QoS profile.
struct QosTime {
  std::uint64_t sec = 0;   ///< seconds
  std::uint64_t nsec = 0;  ///< nanoseconds, less than a second
};

/// The QoS profile that a publisher offered. Enumerations have their numbers in rmw, where 0 is the
/// system's default. Times of 0 mean no limit.
struct QosProfile {
  /// How many messages are kept.
  enum History { kKeepLast = 1, kKeepAll = 2 };
  /// Whether messages may be lost.
  enum Reliability { kReliable = 1, kBestEffort = 2 };
  /// Whether late subscribers get old messages.
  enum Durability { kTransientLocal = 1, kVolatile = 2 };
  /// Who says that the publisher is alive.
  enum Liveliness { kAutomatic = 1, kManualByNode = 2, kManualByTopic = 3 };

  int history = 0;                               ///< a History, or 0
  std::uint64_t depth = 0;                       ///< messages that are kept, with kKeepLast
  int reliability = 0;                           ///< a Reliability, or 0
  int durability = 0;                            ///< a Durability, or 0
  QosTime deadline;                              ///< most time between messages
  QosTime lifespan;                              ///< how long messages are valid
  int liveliness = 0;                            ///< a Liveliness, or 0
  QosTime liveliness_lease_duration;             ///< most time between signs of life
  bool avoid_ros_namespace_conventions = false;  ///< as rmw has it
};

/// How enumerations are written: as numbers up to version 8 of rosbag2's metadata, by name from
/// version 9 on.
enum class QosForm { numbers, names };
/// Returns the form of that version.
constexpr QosForm qos_form(int metadata_version) {
  return metadata_version < 9 ? QosForm::numbers : QosForm::names;
}

/// Parses a YAML list of profiles in either form. Returns none for an empty text. Throws Error
/// (corrupt).
KITBAG_API std::vector<QosProfile> parse_qos(std::string_view text);
/// Returns the profiles as a YAML list, "" for none.
KITBAG_API std::string print_qos(const std::vector<QosProfile>& profiles, QosForm form);

/// Returns the `offered_qos_profiles` of the channel in the requested form, or unchanged if they
/// cannot be parsed. For a latched channel without them, as in ROS 1, returns the profile of a
/// transient_local publisher that offers its last message; "" for other channels.
KITBAG_API std::string qos_of(const Channel& channel, QosForm form);

/// Parses a file for `ros2 bag --qos-profile-overrides-path`: profiles by topic. Throws Error
/// (corrupt).
KITBAG_API std::map<std::string, QosProfile> parse_qos_overrides(std::string_view text);

/// Parses a file for `ros2 bag record --static-topics-path`: "static_topics_and_types_list", with
/// entries "[/topic, package/msg/Type]". Throws Error (corrupt).
KITBAG_API std::vector<ExpectedTopic> parse_static_topics(std::string_view text);

}  // namespace kitbag::rosbag2
