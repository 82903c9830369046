import type { Panel } from "../panel";
import { PlotView } from "./view";

/** What is worth seeing first of types that everybody has; those come first that tell most. */
const usual: Record<string, string[]> = {
  "nav_msgs/Odometry": ["pose.pose.position.x", "pose.pose.position.y"],
  "sensor_msgs/Imu": ["angular_velocity.z", "linear_acceleration.x"],
  "sensor_msgs/BatteryState": ["voltage"],
  "geometry_msgs/Twist": ["linear.x", "angular.z"],
  "geometry_msgs/TwistStamped": ["twist.linear.x", "twist.angular.z"],
  "turtlesim/Pose": ["x", "y", "theta"],
  "std_msgs/Float32": ["data"],
  "std_msgs/Float64": ["data"],
};
const plainType = (type: string) => type.replace("/msg/", "/");

/** Numbers over time. */
export const plot: Panel = {
  name: "plot",
  title: "Plot",
  shows: (topic) => {
    const at = Object.keys(usual).indexOf(plainType(topic.type));
    return at < 0 ? 0 : 0.9 - at / 100;
  },
  fields: (topic, numeric) => {
    const known = (usual[plainType(topic.type)] ?? []).filter((each) => numeric.includes(each));
    const others = numeric.filter((each) => !/(^|\.)(seq|stamp|sec|nsec|nanosec)$/.test(each));
    return known.length ? known : others.slice(0, 3);
  },
  View: PlotView,
};
