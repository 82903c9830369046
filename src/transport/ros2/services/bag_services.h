#pragma once

#include <functional>
#include <vector>

#include "kitbag/error.h"
#include "kitbag/play.h"
#include "kitbag/record.h"
#include "transport/ros2/services/service.h"

// The services by which tools control the recorder and the player of rosbag2.

namespace kitbag::ros2 {

/// Whether new topics are looked for. Any thread.
class Discovery {
 public:
  virtual ~Discovery() = default;
  virtual bool is_running() const = 0;
  virtual void run(bool runs) = 0;
};

/// They wait by `clock`. All must outlive the services.
std::vector<Service> recorder_services(Recorder& recorder, Discovery& discovery, Clock& clock);
std::vector<Service> player_services(Player& player);

}  // namespace kitbag::ros2
