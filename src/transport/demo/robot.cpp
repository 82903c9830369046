#include "transport/demo/robot.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <utility>

#include "transport/demo/payload.h"
#include "transport/demo/topics.h"

// Each message is computed from the seed, its number and its time, never from the message before
// it. So any message can be made on any thread, a query can begin anywhere or read backwards, and
// the same seed gives the same bytes.
//
// Payloads are in the encoding of ROS 1: fields without padding, in the order of the definition
// (definitions.cpp). Random numbers come from noise(), a function of the seed, the topic and a
// number; a message that needs six of them has the numbers from 6 * index on.

namespace kitbag::demo {

namespace {

constexpr std::size_t kBeams = 1080;
constexpr double kFieldOfView = 1.5 * std::numbers::pi;
constexpr double kFarthest = 30;
constexpr std::uint32_t kImageWidth = 160;
constexpr std::uint32_t kImageHeight = 120;
constexpr double kImageView = 1.2;  ///< radians from left to right
constexpr int kRings = 16;
constexpr int kAzimuths = 360;
constexpr double kWallHeight = 2.5;
constexpr double kSensorHeight = 0.5;
constexpr double kFullVolts = 25.2;
constexpr double kVoltsPerHour = 2.4;

}  // namespace

double Robot::seconds(Time stamp) const {
  return std::chrono::duration<double>(stamp - start_).count();
}

ByteView Robot::message(std::size_t topic, std::uint64_t index, Time stamp, Arena& arena) const {
  Payload to(arena);
  switch (topic) {
    case kMap:
      map(to, stamp);
      break;
    case kStaticTransforms:
      static_transforms(to, stamp);
      break;
    case kTransforms:
      transform(to, stamp);
      break;
    case kOdometry:
      odometry(to, index, stamp);
      break;
    case kImu:
      imu(to, index, stamp);
      break;
    case kScan:
      scan(to, index, stamp);
      break;
    case kImage:
      image(to, index, stamp);
      break;
    case kPoints:
      points(to, index, stamp);
      break;
    case kDiagnostics:
      diagnostics(to, index, stamp);
      break;
    case kBattery:
      battery(to, index, stamp);
      break;
    case kPath:
      path(to, index, stamp);
      break;
    default:
      log(to, index, stamp);
  }
  return to.end();
}

void Robot::odometry(Payload& to, std::uint64_t index, Time stamp) const {
  Pose pose = world_.pose(seconds(stamp));
  to.header(index, stamp, "odom");
  to.text("base_link");
  to.vector(pose.at.x, pose.at.y, 0);
  to.heading(pose.heading);
  to.diagonal(6, 0.01);
  to.vector(pose.speed + 0.005 * noise(seed_, kOdometry, 2 * index), 0, 0);
  to.vector(0, 0, pose.turn_rate + 0.002 * noise(seed_, kOdometry, 2 * index + 1));
  to.diagonal(6, 0.001);
}

void Robot::imu(Payload& to, std::uint64_t index, Time stamp) const {
  constexpr double kGravity = 9.81;
  constexpr double kStep = 0.01;
  Pose pose = world_.pose(seconds(stamp));
  Pose later = world_.pose(seconds(stamp) + kStep);
  auto jitter = [&](std::uint64_t which) { return 0.02 * noise(seed_, kImu, 6 * index + which); };
  to.header(index, stamp, "imu");
  to.heading(pose.heading);
  to.diagonal(3, 0.0001);
  to.vector(jitter(0), jitter(1), pose.turn_rate + jitter(2));
  to.diagonal(3, 0.0004);
  // Along its way the robot feels the change of its speed, across it the turn, upwards gravity.
  to.vector((later.speed - pose.speed) / kStep + jitter(3), pose.speed * pose.turn_rate + jitter(4),
            kGravity + jitter(5));
  to.diagonal(3, 0.0004);
}

void Robot::scan(Payload& to, std::uint64_t index, Time stamp) const {
  Pose pose = world_.pose(seconds(stamp));
  constexpr double kStep = kFieldOfView / (kBeams - 1);
  to.header(index, stamp, "laser");
  to.put(static_cast<float>(-kFieldOfView / 2));
  to.put(static_cast<float>(kFieldOfView / 2));
  to.put(static_cast<float>(kStep));
  to.put(0.0F);
  to.put(0.1F);
  to.put(0.05F);
  to.put(static_cast<float>(kFarthest));
  to.count(kBeams);
  for (std::size_t i = 0; i < kBeams; ++i) {
    double direction = pose.heading - kFieldOfView / 2 + static_cast<double>(i) * kStep;
    double range = world_.distance(pose.at, direction, kFarthest);
    to.put(static_cast<float>(range + 0.01 * noise(seed_, kScan, index * kBeams + i)));
  }
  to.count(0);
}

/// Walls as the camera sees them: column by column, the nearer the higher and the brighter.
void Robot::image(Payload& to, std::uint64_t index, Time stamp) const {
  Pose pose = world_.pose(seconds(stamp));
  to.header(index, stamp, "camera");
  to.put(kImageHeight);
  to.put(kImageWidth);
  to.text("rgb8");
  to.put(std::uint8_t{0});
  to.put(3 * kImageWidth);
  to.count(std::size_t{3} * kImageWidth * kImageHeight);
  std::byte* pixels = to.room(std::size_t{3} * kImageWidth * kImageHeight);
  const double focal = kImageWidth / (2 * std::tan(kImageView / 2));
  for (std::uint32_t x = 0; x < kImageWidth; ++x) {
    double angle = std::atan((kImageWidth / 2.0 - x) / focal);
    // Along the axis of the camera, not along the ray: straight walls would look bent otherwise.
    double depth = world_.distance(pose.at, pose.heading + angle, kFarthest) * std::cos(angle);
    double above = focal * (kWallHeight - kSensorHeight) / depth;
    double below = focal * kSensorHeight / depth;
    double light = 230 / (1 + 0.15 * depth);
    for (std::uint32_t y = 0; y < kImageHeight; ++y) {
      double up = kImageHeight / 2.0 - y;
      bool is_wall = up <= above && up >= -below;
      double shade = is_wall ? light : up > 0 ? 60 : 40 + 0.8 * (y - kImageHeight / 2.0);
      std::byte* pixel = pixels + std::size_t{3} * (y * kImageWidth + x);
      pixel[0] = static_cast<std::byte>(shade);
      pixel[1] = static_cast<std::byte>(is_wall ? shade * 0.9 : shade);
      pixel[2] = static_cast<std::byte>(is_wall ? shade * 0.7 : shade * 1.2);
    }
  }
}

void Robot::points(Payload& to, std::uint64_t index, Time stamp) const {
  constexpr std::uint32_t kPointBytes = 16;
  constexpr std::uint8_t kFloat32 = 7;
  constexpr auto kCount = static_cast<std::uint32_t>(kRings * kAzimuths);
  Pose pose = world_.pose(seconds(stamp));
  to.header(index, stamp, "laser");
  to.put(std::uint32_t{1});
  to.put(kCount);
  to.count(4);
  std::uint32_t offset = 0;
  for (std::string_view name : {"x", "y", "z", "intensity"}) {
    to.text(name);
    to.put(std::exchange(offset, offset + 4));
    to.put(kFloat32);
    to.put(std::uint32_t{1});
  }
  to.put(false);
  to.put(kPointBytes);
  to.put(kPointBytes * kCount);
  to.count(std::size_t{kPointBytes} * kCount);
  for (int azimuth = 0; azimuth < kAzimuths; ++azimuth) {
    double angle = 2 * std::numbers::pi * azimuth / kAzimuths;
    double wall = world_.distance(pose.at, pose.heading + angle, kFarthest);
    for (int ring = 0; ring < kRings; ++ring) {
      // Two degrees apart, from 15 degrees below the horizon to 15 above it.
      double slope = std::tan((2 * ring - (kRings - 1)) * std::numbers::pi / 180);
      // The wall, or the floor in front of it, or the ceiling.
      double reach = wall;
      if (slope < 0) reach = std::min(reach, kSensorHeight / -slope);
      if (slope > 0) reach = std::min(reach, (kWallHeight - kSensorHeight) / slope);
      to.put(static_cast<float>(reach * std::cos(angle)));
      to.put(static_cast<float>(reach * std::sin(angle)));
      to.put(static_cast<float>(reach * slope));
      to.put(static_cast<float>(100 / (1 + reach)));
    }
  }
  to.put(true);
}

void Robot::map(Payload& to, Time stamp) const {
  to.header(0, stamp, "map");
  to.time(stamp);
  to.put(static_cast<float>(World::kCell));
  to.put(static_cast<std::uint32_t>(World::kColumns));
  to.put(static_cast<std::uint32_t>(World::kRows));
  to.vector(0, 0, 0);
  to.heading(0);
  to.count(World::kColumns * World::kRows);
  for (std::size_t row = 0; row < World::kRows; ++row) {
    for (std::size_t column = 0; column < World::kColumns; ++column) {
      Point middle{(static_cast<double>(column) + 0.5) * World::kCell,
                   (static_cast<double>(row) + 0.5) * World::kCell};
      to.put(static_cast<std::int8_t>(world_.is_occupied(middle) ? 100 : 0));
    }
  }
}

void Robot::transform(Payload& to, Time stamp) const {
  Pose pose = world_.pose(seconds(stamp));
  to.count(1);
  to.header(0, stamp, "odom");
  to.text("base_link");
  to.vector(pose.at.x, pose.at.y, 0);
  to.heading(pose.heading);
}

void Robot::static_transforms(Payload& to, Time stamp) const {
  struct Mount {
    std::string_view parent;
    std::string_view child;
    double x;
    double z;
  };
  constexpr std::array<Mount, 4> kMounts = {{{"map", "odom", 0, 0},
                                             {"base_link", "laser", 0.2, kSensorHeight},
                                             {"base_link", "camera", 0.25, kSensorHeight},
                                             {"base_link", "imu", 0, 0.1}}};
  to.count(kMounts.size());
  for (const Mount& mount : kMounts) {
    to.header(0, stamp, mount.parent);
    to.text(mount.child);
    to.vector(mount.x, 0, mount.z);
    to.heading(0);
  }
}

void Robot::diagnostics(Payload& to, std::uint64_t index, Time stamp) const {
  double volts = kFullVolts - kVoltsPerHour * seconds(stamp) / 3600;
  to.header(index, stamp, "");
  to.count(2);
  for (bool is_battery : {true, false}) {
    to.put(std::int8_t{0});
    to.text(is_battery ? "power: battery" : "sensors: laser");
    to.text("OK");
    to.text(is_battery ? "battery-1" : "laser-1");
    to.count(1);
    to.text(is_battery ? "voltage" : "scans");
    to.text(is_battery ? fmt::format("{:.2f} V", volts)
                       : fmt::format("{:.0f}", 10 * seconds(stamp)));
  }
}

void Robot::battery(Payload& to, std::uint64_t index, Time stamp) const {
  constexpr std::size_t kCells = 6;
  double volts = kFullVolts - kVoltsPerHour * seconds(stamp) / 3600;
  double share = std::clamp(1 - seconds(stamp) / 7200, 0.0, 1.0);
  to.header(index, stamp, "");
  to.put(static_cast<float>(volts));
  to.put(static_cast<float>(30 + 0.5 * noise(seed_, kBattery, index)));
  to.put(-4.5F);
  to.put(static_cast<float>(10 * share));
  to.put(10.0F);
  to.put(10.0F);
  to.put(static_cast<float>(share));
  to.put(std::uint8_t{2});
  to.put(std::uint8_t{1});
  // It is discharging, its health is good, and its cells are lithium ions.
  to.put(std::uint8_t{2});
  to.put(true);
  to.count(kCells);
  for (std::size_t i = 0; i < kCells; ++i) {
    double spread = 0.003 * noise(seed_, kBattery, 1000 + i);
    to.put(static_cast<float>(volts / kCells + spread));
  }
  to.count(0);
  to.text("base");
  to.text("KB-0001");
}

/// Where it has been in the last minute, once a second.
void Robot::path(Payload& to, std::uint64_t index, Time stamp) const {
  constexpr std::uint64_t kMostPoses = 60;
  std::uint64_t count = std::min(index + 1, kMostPoses);
  to.header(index, stamp, "odom");
  to.count(count);
  for (std::uint64_t i = count; i-- > 0;) {
    Time then = stamp - std::chrono::seconds(i);
    Pose pose = world_.pose(seconds(then));
    to.header(0, then, "odom");
    to.vector(pose.at.x, pose.at.y, 0);
    to.heading(pose.heading);
  }
}

void Robot::log(Payload& to, std::uint64_t index, Time stamp) const {
  constexpr std::int8_t kInfo = 2;
  Pose pose = world_.pose(seconds(stamp));
  to.header(index, stamp, "");
  to.put(kInfo);
  to.text("/driver");
  to.text(fmt::format("at ({:.2f}, {:.2f}), {:.2f} m/s", pose.at.x, pose.at.y, pose.speed));
  to.text("driver.cpp");
  to.text("drive");
  to.put(std::uint32_t{42});
  to.count(1);
  to.text("/odom");
}

}  // namespace kitbag::demo
