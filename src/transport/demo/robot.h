#pragma once

#include <cstddef>
#include <cstdint>

#include "kitbag/codec.h"
#include "kitbag/time.h"
#include "transport/demo/world.h"

namespace kitbag::demo {

class Payload;

/// Writes the robot's messages. Each is a function of the seed and its time: threads may share one.
class Robot {
 public:
  Robot(std::uint64_t seed, Time start) : seed_(seed), start_(start), world_(seed) {}

  /// The `index`-th message of topics()[topic], sent at `stamp`, as ROS 1 payload in `arena`.
  ByteView message(std::size_t topic, std::uint64_t index, Time stamp, Arena& arena) const;

 private:
  double seconds(Time stamp) const;
  void odometry(Payload& to, std::uint64_t index, Time stamp) const;
  void imu(Payload& to, std::uint64_t index, Time stamp) const;
  void scan(Payload& to, std::uint64_t index, Time stamp) const;
  void image(Payload& to, std::uint64_t index, Time stamp) const;
  void points(Payload& to, std::uint64_t index, Time stamp) const;
  void map(Payload& to, Time stamp) const;
  void transform(Payload& to, Time stamp) const;
  void static_transforms(Payload& to, Time stamp) const;
  void diagnostics(Payload& to, std::uint64_t index, Time stamp) const;
  void battery(Payload& to, std::uint64_t index, Time stamp) const;
  void path(Payload& to, std::uint64_t index, Time stamp) const;
  void log(Payload& to, std::uint64_t index, Time stamp) const;

  std::uint64_t seed_;
  Time start_;
  World world_;
};

}  // namespace kitbag::demo
