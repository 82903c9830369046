// Units of numbers, where a type of ROS fixes them: REP 103 and the comments of its definitions.

import { plainType } from "./lines";

type Rule = [path: RegExp, unit: string];

const AXIS = "[xyz]";
/** Of geometry, wherever it stands in a type of ROS. */
const GEOMETRY: Rule[] = [
  [new RegExp(`(^|\\.)(position|translation)\\.${AXIS}$`), "m"],
  [new RegExp(`(^|\\.)linear_acceleration\\.${AXIS}$`), "m/s²"],
  [new RegExp(`(^|\\.)angular_velocity\\.${AXIS}$`), "rad/s"],
];
const VELOCITY: Rule[] = [
  [new RegExp(`(^|\\.)linear\\.${AXIS}$`), "m/s"],
  [new RegExp(`(^|\\.)angular\\.${AXIS}$`), "rad/s"],
];
const FORCE: Rule[] = [
  [new RegExp(`(^|\\.)force\\.${AXIS}$`), "N"],
  [new RegExp(`(^|\\.)torque\\.${AXIS}$`), "N m"],
];

const byType: Record<string, Rule[]> = {
  "nav_msgs/Odometry": VELOCITY,
  "geometry_msgs/Twist": VELOCITY,
  "geometry_msgs/TwistStamped": VELOCITY,
  "geometry_msgs/TwistWithCovariance": VELOCITY,
  "geometry_msgs/TwistWithCovarianceStamped": VELOCITY,
  "geometry_msgs/Wrench": FORCE,
  "geometry_msgs/WrenchStamped": FORCE,
  "geometry_msgs/Point": [[/^[xyz]$/, "m"]],
  "geometry_msgs/PointStamped": [[/^point\.[xyz]$/, "m"]],
  "geometry_msgs/Pose2D": [[/^[xy]$/, "m"], [/^theta$/, "rad"]],
  "sensor_msgs/BatteryState": [
    [/^voltage$/, "V"],
    [/^current$/, "A"],
    [/^temperature$/, "°C"],
    [/^(charge|capacity|design_capacity)$/, "Ah"],
  ],
  "sensor_msgs/LaserScan": [
    [/^angle_/, "rad"],
    [/^range_/, "m"],
    [/_time$|^time_/, "s"],
  ],
  "sensor_msgs/Range": [[/^field_of_view$/, "rad"], [/range$|^range_|_range$/, "m"]],
  "sensor_msgs/NavSatFix": [[/^(latitude|longitude)$/, "°"], [/^altitude$/, "m"]],
  "sensor_msgs/Temperature": [[/^temperature$/, "°C"]],
  "sensor_msgs/FluidPressure": [[/^fluid_pressure$/, "Pa"]],
  "sensor_msgs/Illuminance": [[/^illuminance$/, "lx"]],
  "sensor_msgs/MagneticField": [[/^magnetic_field\.[xyz]$/, "T"]],
  "turtlesim/Pose": [
    [/^[xy]$/, "m"],
    [/^theta$/, "rad"],
    [/^linear_velocity$/, "m/s"],
    [/^angular_velocity$/, "rad/s"],
  ],
};
const PACKAGES = /^(nav|geometry|sensor|tf2)_msgs\//;

/** "m/s", or "" if it is not known. */
export function unitOf(type: string, path: string): string {
  const plain = plainType(type);
  const rules = [...(byType[plain] ?? []), ...(PACKAGES.test(plain) ? GEOMETRY : [])];
  return rules.find(([of]) => of.test(path))?.[1] ?? "";
}

/** The unit of a rate of change. */
export function unitPerSecond(unit: string): string {
  if (!unit) return "";
  if (unit.endsWith("/s")) return `${unit}²`;
  return unit.endsWith("/s²") ? unit.replace("²", "³") : `${unit}/s`;
}
