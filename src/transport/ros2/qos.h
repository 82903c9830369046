#pragma once

#include <string>
#include <vector>

#include "kitbag/rosbag2.h"
#include "transport/ros2/entity.h"
#include "transport/ros2/profiles.h"

namespace kitbag::ros2 {

/// What a publisher that was discovered offers, as rosbag2 writes it.
rosbag2::QosProfile profile_of(const dds_qos_t* offered);

/// What in an offer decides which reader gets along with it.
struct Offer {
  bool is_reliable = true;
  bool is_transient_local = false;
  bool is_exclusive = false;            ///< ownership; never so in ROS
  std::vector<std::string> partitions;  ///< none in ROS

  auto operator<=>(const Offer&) const = default;
};
Offer offer_of(const dds_qos_t* offered);

/// For a reader that receives everything from publishers that offer `offer`.
Qos reader_qos(const Offer& offer);
/// Of a reader as the user wants it.
Qos reader_qos(const rosbag2::QosProfile& wanted);

/// Of a writer that offers it.
Qos writer_qos(const rosbag2::QosProfile& profile);

/// A publisher offers payloads in XCDR2 and in nothing else.
bool is_xcdr2_alone(const dds_qos_t* offered);
void set_representation(dds_qos_t* qos, bool is_xcdr2);

/// The words of ROS for a policy: "reliability".
std::string policy_name(std::uint32_t policy_id);

std::string user_data_of(const dds_qos_t* qos);
void set_user_data(dds_qos_t* qos, const std::string& data);

}  // namespace kitbag::ros2
