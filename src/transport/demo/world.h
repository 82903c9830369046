#pragma once

#include <cstdint>
#include <vector>

namespace kitbag::demo {

struct Point {
  double x = 0;
  double y = 0;
};

/// Where the robot is, on the floor, and how it moves.
struct Pose {
  Point at;
  double heading = 0;    ///< in radians, from the x axis, counterclockwise
  double speed = 0;      ///< in m/s, forward
  double turn_rate = 0;  ///< in rad/s
};

/// Rooms with walls and pillars on a floor of 20 m by 12 m, and the loop through them. All of it is
/// a function of the seed and the time.
class World {
 public:
  static constexpr double kWidth = 20;
  static constexpr double kHeight = 12;
  static constexpr double kCell = 0.05;  ///< of the map
  static constexpr std::size_t kColumns = 400;
  static constexpr std::size_t kRows = 240;

  explicit World(std::uint64_t seed);

  /// After that many seconds on the way.
  Pose pose(double seconds) const;
  /// From `from` in that direction to the next wall, at most `most`.
  double distance(const Point& from, double direction, double most) const;
  bool is_occupied(const Point& at) const;

 private:
  struct Box {
    double left;
    double bottom;
    double right;
    double top;
  };

  std::vector<Box> boxes_;
  double phase_;  ///< where on the loop it starts
};

/// A number from -1 to 1 that is always the same for the same three.
double noise(std::uint64_t seed, std::uint64_t stream, std::uint64_t index);

}  // namespace kitbag::demo
