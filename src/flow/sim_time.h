#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "kitbag/stream.h"

namespace kitbag {

inline constexpr const char* kClockTopic = "/clock";

/// What sim_time() has seen so far.
struct SimTimeReport {
  /// What came of a channel before the first message on /clock.
  struct LeftOut {
    ChannelPtr channel;
    std::uint64_t messages = 0;  ///< that would have been stored
    bool has_come = false;       ///< a message, be it in a pause
  };
  bool has_time = false;          ///< a message on /clock has come
  std::vector<LeftOut> left_out;  ///< by slot
};

/// Sets the log time of messages to the time of the last message on /clock; leaves out what comes
/// before the first, and counts it in `report`, which must outlive the stage. What comes while
/// `is_paused` is not counted, except on channels whose last message is kept through a pause.
std::unique_ptr<Stage> sim_time(SimTimeReport& report, std::function<bool()> is_paused = {});

}  // namespace kitbag
