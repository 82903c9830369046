#pragma once

#include <ros/callback_queue.h>
#include <ros/ros.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "kitbag/bytes.h"
#include "kitbag/play.h"
#include "kitbag/record.h"

namespace kitbag::ros1 {

/// A service of kitbag's node. Requests and replies are as ROS 1 serializes them.
struct Service {
  /// Gives up waiting when `stop` is requested. Absent: the call fails.
  using Answer = std::function<std::optional<std::vector<std::byte>>(ByteView request,
                                                                     const std::stop_token& stop)>;

  std::string name;    ///< "trigger_snapshot"; "~" in front: below the name of the node
  std::string type;    ///< "std_srvs/SetBool"
  std::string md5sum;  ///< of its definition
  Answer answer;
};

/// What rosbag play offers: ~pause_playback. `player` must outlive it.
std::vector<Service> player_services(Player& player);
/// What the node of rosbag_snapshot offers: trigger_snapshot and enable_snapshot. None if the
/// recorder keeps no snapshots. Both must outlive it.
std::vector<Service> recorder_services(Recorder& recorder, Clock& clock);

/// Serves them on a thread of its own. Is destroyed by leave_master(), as what the master has
/// registered.
class Services {
 public:
  Services(ros::NodeHandle& node, const std::vector<Service>& services);
  ~Services();

 private:
  ros::CallbackQueue queue_;
  std::vector<ros::ServiceServer> servers_;
  std::stop_source stop_;
  std::thread thread_;
};

}  // namespace kitbag::ros1
