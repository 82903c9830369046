#pragma once

#include <memory>

#include <cstdint>
#include <vector>

#include "kitbag/stream.h"

namespace kitbag {

inline constexpr const char* kClockTopic = "/clock";

/// What sim_time() has seen so far.
struct SimTimeReport {
  /// A channel and how many of its messages came before the first message on /clock.
  struct LeftOut {
    ChannelPtr channel;
    std::uint64_t messages = 0;
  };
  bool has_time = false;          ///< a message on /clock has come
  std::vector<LeftOut> left_out;  ///< by slot
};

/// Sets the log time of messages to the time of the last message on /clock; leaves out what comes
/// before the first, and counts it in `report`, which must outlive the stage.
std::unique_ptr<Stage> sim_time(SimTimeReport& report);

}  // namespace kitbag
