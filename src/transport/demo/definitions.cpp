#include "transport/demo/definitions.h"

#include <map>
#include <string_view>
#include <vector>

// Definitions in the form in which rosbag stores them: the text of the type itself, then each type
// that it needs, once, behind a line of 80 "=" and a line "MSG: TYPE". Comments are left out.
// Constants are not, because the md5sums in topics.cpp are those of the real types, and constants
// count for them.

namespace kitbag::demo {

namespace {

/// What a message's own text is, and the types that follow it.
struct Definition {
  std::string_view text;
  std::vector<std::string> needs;
};

const std::map<std::string, Definition, std::less<>>& definitions() {
  static const std::map<std::string, Definition, std::less<>> kDefinitions = {
      {"std_msgs/Header", {"uint32 seq\ntime stamp\nstring frame_id\n", {}}},
      {"geometry_msgs/Point", {"float64 x\nfloat64 y\nfloat64 z\n", {}}},
      {"geometry_msgs/Vector3", {"float64 x\nfloat64 y\nfloat64 z\n", {}}},
      {"geometry_msgs/Quaternion", {"float64 x\nfloat64 y\nfloat64 z\nfloat64 w\n", {}}},
      {"geometry_msgs/Pose",
       {"Point position\nQuaternion orientation\n",
        {"geometry_msgs/Point", "geometry_msgs/Quaternion"}}},
      {"geometry_msgs/PoseWithCovariance",
       {"Pose pose\nfloat64[36] covariance\n", {"geometry_msgs/Pose"}}},
      {"geometry_msgs/Twist", {"Vector3 linear\nVector3 angular\n", {"geometry_msgs/Vector3"}}},
      {"geometry_msgs/TwistWithCovariance",
       {"Twist twist\nfloat64[36] covariance\n", {"geometry_msgs/Twist"}}},
      {"geometry_msgs/PoseStamped",
       {"Header header\nPose pose\n", {"std_msgs/Header", "geometry_msgs/Pose"}}},
      {"geometry_msgs/Transform",
       {"Vector3 translation\nQuaternion rotation\n",
        {"geometry_msgs/Vector3", "geometry_msgs/Quaternion"}}},
      {"geometry_msgs/TransformStamped",
       {"Header header\nstring child_frame_id\nTransform transform\n",
        {"std_msgs/Header", "geometry_msgs/Transform"}}},
      {"nav_msgs/Odometry",
       {"Header header\nstring child_frame_id\ngeometry_msgs/PoseWithCovariance pose\n"
        "geometry_msgs/TwistWithCovariance twist\n",
        {"std_msgs/Header", "geometry_msgs/PoseWithCovariance",
         "geometry_msgs/TwistWithCovariance"}}},
      {"nav_msgs/MapMetaData",
       {"time map_load_time\nfloat32 resolution\nuint32 width\nuint32 height\n"
        "geometry_msgs/Pose origin\n",
        {"geometry_msgs/Pose"}}},
      {"nav_msgs/OccupancyGrid",
       {"Header header\nMapMetaData info\nint8[] data\n",
        {"std_msgs/Header", "nav_msgs/MapMetaData"}}},
      {"nav_msgs/Path",
       {"Header header\ngeometry_msgs/PoseStamped[] poses\n",
        {"std_msgs/Header", "geometry_msgs/PoseStamped"}}},
      {"tf2_msgs/TFMessage",
       {"geometry_msgs/TransformStamped[] transforms\n", {"geometry_msgs/TransformStamped"}}},
      {"sensor_msgs/Imu",
       {"Header header\ngeometry_msgs/Quaternion orientation\n"
        "float64[9] orientation_covariance\ngeometry_msgs/Vector3 angular_velocity\n"
        "float64[9] angular_velocity_covariance\ngeometry_msgs/Vector3 linear_acceleration\n"
        "float64[9] linear_acceleration_covariance\n",
        {"std_msgs/Header", "geometry_msgs/Quaternion", "geometry_msgs/Vector3"}}},
      {"sensor_msgs/LaserScan",
       {"Header header\nfloat32 angle_min\nfloat32 angle_max\nfloat32 angle_increment\n"
        "float32 time_increment\nfloat32 scan_time\nfloat32 range_min\nfloat32 range_max\n"
        "float32[] ranges\nfloat32[] intensities\n",
        {"std_msgs/Header"}}},
      {"sensor_msgs/Image",
       {"Header header\nuint32 height\nuint32 width\nstring encoding\nuint8 is_bigendian\n"
        "uint32 step\nuint8[] data\n",
        {"std_msgs/Header"}}},
      {"sensor_msgs/PointField",
       {"uint8 INT8=1\nuint8 UINT8=2\nuint8 INT16=3\nuint8 UINT16=4\nuint8 INT32=5\n"
        "uint8 UINT32=6\nuint8 FLOAT32=7\nuint8 FLOAT64=8\nstring name\nuint32 offset\n"
        "uint8 datatype\nuint32 count\n",
        {}}},
      {"sensor_msgs/PointCloud2",
       {"Header header\nuint32 height\nuint32 width\nPointField[] fields\nbool is_bigendian\n"
        "uint32 point_step\nuint32 row_step\nuint8[] data\nbool is_dense\n",
        {"std_msgs/Header", "sensor_msgs/PointField"}}},
      {"sensor_msgs/BatteryState",
       {"uint8 POWER_SUPPLY_STATUS_UNKNOWN=0\nuint8 POWER_SUPPLY_STATUS_CHARGING=1\n"
        "uint8 POWER_SUPPLY_STATUS_DISCHARGING=2\nuint8 POWER_SUPPLY_STATUS_NOT_CHARGING=3\n"
        "uint8 POWER_SUPPLY_STATUS_FULL=4\nuint8 POWER_SUPPLY_HEALTH_UNKNOWN=0\n"
        "uint8 POWER_SUPPLY_HEALTH_GOOD=1\nuint8 POWER_SUPPLY_HEALTH_OVERHEAT=2\n"
        "uint8 POWER_SUPPLY_HEALTH_DEAD=3\nuint8 POWER_SUPPLY_HEALTH_OVERVOLTAGE=4\n"
        "uint8 POWER_SUPPLY_HEALTH_UNSPEC_FAILURE=5\nuint8 POWER_SUPPLY_HEALTH_COLD=6\n"
        "uint8 POWER_SUPPLY_HEALTH_WATCHDOG_TIMER_EXPIRE=7\n"
        "uint8 POWER_SUPPLY_HEALTH_SAFETY_TIMER_EXPIRE=8\n"
        "uint8 POWER_SUPPLY_TECHNOLOGY_UNKNOWN=0\nuint8 POWER_SUPPLY_TECHNOLOGY_NIMH=1\n"
        "uint8 POWER_SUPPLY_TECHNOLOGY_LION=2\nuint8 POWER_SUPPLY_TECHNOLOGY_LIPO=3\n"
        "uint8 POWER_SUPPLY_TECHNOLOGY_LIFE=4\nuint8 POWER_SUPPLY_TECHNOLOGY_NICD=5\n"
        "uint8 POWER_SUPPLY_TECHNOLOGY_LIMN=6\nHeader header\nfloat32 voltage\n"
        "float32 temperature\nfloat32 current\nfloat32 charge\nfloat32 capacity\n"
        "float32 design_capacity\nfloat32 percentage\nuint8 power_supply_status\n"
        "uint8 power_supply_health\nuint8 power_supply_technology\nbool present\n"
        "float32[] cell_voltage\nfloat32[] cell_temperature\nstring location\n"
        "string serial_number\n",
        {"std_msgs/Header"}}},
      {"diagnostic_msgs/KeyValue", {"string key\nstring value\n", {}}},
      {"diagnostic_msgs/DiagnosticStatus",
       {"byte OK=0\nbyte WARN=1\nbyte ERROR=2\nbyte STALE=3\nbyte level\nstring name\n"
        "string message\nstring hardware_id\nKeyValue[] values\n",
        {"diagnostic_msgs/KeyValue"}}},
      {"diagnostic_msgs/DiagnosticArray",
       {"Header header\nDiagnosticStatus[] status\n",
        {"std_msgs/Header", "diagnostic_msgs/DiagnosticStatus"}}},
      {"rosgraph_msgs/Log",
       {"byte DEBUG=1\nbyte INFO=2\nbyte WARN=4\nbyte ERROR=8\nbyte FATAL=16\nHeader header\n"
        "byte level\nstring name\nstring msg\nstring file\nstring function\nuint32 line\n"
        "string[] topics\n",
        {"std_msgs/Header"}}},
  };
  return kDefinitions;
}

void collect(const std::string& type, std::vector<std::string>& order) {
  for (const std::string& need : definitions().find(type)->second.needs) {
    bool is_known = false;
    for (const std::string& each : order) is_known |= each == need;
    if (is_known) continue;
    order.push_back(need);
    collect(need, order);
  }
}

}  // namespace

std::string definition(const std::string& type) {
  std::string text(definitions().find(type)->second.text);
  std::vector<std::string> order;
  collect(type, order);
  for (const std::string& need : order) {
    text += "\n" + std::string(80, '=') + "\nMSG: " + need + "\n";
    text += definitions().find(need)->second.text;
  }
  return text;
}

}  // namespace kitbag::demo
