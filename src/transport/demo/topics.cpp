#include "transport/demo/topics.h"

namespace kitbag::demo {

const std::vector<Topic>& topics() {
  static const std::vector<Topic> kTopics = {
      {"/map", "nav_msgs/OccupancyGrid", "3381f2d731d4076ec5c71b0759edbe4e", "", 0},
      {"/tf_static", "tf2_msgs/TFMessage", "94810edda583a504dfda3829e70d7eec", "", 0},
      {"/tf", "tf2_msgs/TFMessage", "94810edda583a504dfda3829e70d7eec", "tf", 50},
      {"/odom", "nav_msgs/Odometry", "cd5e73d190d741a2f92e81eda573aca7", "odom", 50},
      {"/imu", "sensor_msgs/Imu", "6a62c6daae103f4ff57a132d6f95cec2", "imu", 100},
      {"/scan", "sensor_msgs/LaserScan", "90c7ef2dc6895d81024acba2ac42f369", "scan", 10},
      {"/camera/image", "sensor_msgs/Image", "060021388200f6f0f447d0fcd9c64743", "image", 10},
      {"/points", "sensor_msgs/PointCloud2", "1158d486dd51d683ce2f1be655c3c181", "points", 5},
      {"/diagnostics", "diagnostic_msgs/DiagnosticArray", "60810da900de1dd6ddd437c3503511da",
       "diagnostics", 1},
      {"/battery", "sensor_msgs/BatteryState", "4ddae7f048e32fda22cac764685e3974", "battery", 1},
      {"/path", "nav_msgs/Path", "6227e2b7e9cce15051f669a5e197bbf7", "path", 1},
      {"/rosout", "rosgraph_msgs/Log", "acffd30cd6b6de30f120938c17c593fb", "log", 0.5},
  };
  return kTopics;
}

}  // namespace kitbag::demo
