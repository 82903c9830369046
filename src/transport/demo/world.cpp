#include "transport/demo/world.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

// Sensors must agree: a viewer shows scans, points, image, map and odometry together. So there is
// one world of axis-aligned boxes, and every sensor asks it. The path is a formula, with its first
// and second derivative: heading, speed and turn rate are exact at each time, with no integration
// whose error would grow.
//
// A ray meets a box where it is between both pairs of sides at once; the nearest box counts. A scan
// asks about 1000 times for some fifteen boxes, which is fast enough without an index.
//
// Noise is a hash of the seed, the stream and a number, not a generator with a state: each message
// can be computed alone.

namespace kitbag::demo {

namespace {

constexpr double kWall = 0.2;
/// Once around the loop.
constexpr double kLapSeconds = 60;

/// Steele, Lea and Flood's SplitMix64: one step of it mixes well.
std::uint64_t mixed(std::uint64_t value) {
  value += 0x9e3779b97f4a7c15U;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9U;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebU;
  return value ^ (value >> 31);
}

}  // namespace

double noise(std::uint64_t seed, std::uint64_t stream, std::uint64_t index) {
  std::uint64_t bits = mixed(mixed(seed ^ mixed(stream)) ^ index);
  return static_cast<double>(bits >> 11) * 0x1p-52 - 1;
}

World::World(std::uint64_t seed) {
  boxes_ = {
      {0, 0, kWidth, kWall},  // around
      {0, kHeight - kWall, kWidth, kHeight},
      {0, 0, kWall, kHeight},
      {kWidth - kWall, 0, kWidth, kHeight},
      {6, 5.4, 14, 6.6},    // the loop goes around this
      {9.9, 0, 10.1, 1.2},  // doors to pass through
      {9.9, 10.8, 10.1, kHeight},
      {0, 5.9, 1, 6.1},
      {19, 5.9, kWidth, 6.1},
  };
  // Pillars where the loop does not go: in the corners, by chance.
  std::uint64_t index = 0;
  for (Point corner : {Point{1.6, 1.6}, {18.4, 1.6}, {1.6, 10.4}, {18.4, 10.4}}) {
    double size = 0.25 + 0.15 * noise(seed, 0, index++);
    double x = corner.x + 0.5 * noise(seed, 0, index++);
    double y = corner.y + 0.5 * noise(seed, 0, index++);
    boxes_.push_back({x - size, y - size, x + size, y + size});
  }
  phase_ = std::numbers::pi * noise(seed, 0, index);
}

Pose World::pose(double seconds) const {
  // An ellipse halfway between the block in the middle and the walls.
  constexpr double kA = 7;
  constexpr double kB = 3.6;
  constexpr double kRate = 2 * std::numbers::pi / kLapSeconds;
  double angle = phase_ + kRate * seconds;
  double dx = -kA * std::sin(angle) * kRate;
  double dy = kB * std::cos(angle) * kRate;
  double ddx = -kA * std::cos(angle) * kRate * kRate;
  double ddy = -kB * std::sin(angle) * kRate * kRate;
  double square = dx * dx + dy * dy;
  Pose pose;
  pose.at = {kWidth / 2 + kA * std::cos(angle), kHeight / 2 + kB * std::sin(angle)};
  pose.heading = std::atan2(dy, dx);
  pose.speed = std::sqrt(square);
  pose.turn_rate = (dx * ddy - dy * ddx) / square;
  return pose;
}

double World::distance(const Point& from, double direction, double most) const {
  double dx = std::cos(direction);
  double dy = std::sin(direction);
  double nearest = most;
  for (const Box& box : boxes_) {
    // Where the ray is between both pairs of sides.
    double in = 0;
    double out = nearest;
    auto clip = [&](double at, double step, double low, double high) {
      if (std::abs(step) < 1e-12) {
        if (at < low || at > high) out = -1;
        return;
      }
      double first = (low - at) / step;
      double second = (high - at) / step;
      in = std::max(in, std::min(first, second));
      out = std::min(out, std::max(first, second));
    };
    clip(from.x, dx, box.left, box.right);
    clip(from.y, dy, box.bottom, box.top);
    if (in <= out) nearest = in;
  }
  return nearest;
}

bool World::is_occupied(const Point& at) const {
  return std::any_of(boxes_.begin(), boxes_.end(), [&](const Box& box) {
    return at.x >= box.left && at.x <= box.right && at.y >= box.bottom && at.y <= box.top;
  });
}

}  // namespace kitbag::demo
