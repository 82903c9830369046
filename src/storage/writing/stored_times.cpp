#include "storage/writing/stored_times.h"

#include <fmt/format.h>

#include "io/sticky.h"

namespace kitbag {

void refuse_times(const StoredTimes& times, const Channel& channel, const Stamp& stamp,
                  const std::string& path) {
  bool is_log_time = !times.holds(stamp.log_time, stamp.log_time);
  throw Refusal(
      ErrorCode::unsupported,
      fmt::format("{} stores only times {}; a message on {} has the {} time {} ns", times.format,
                  times.span, channel.topic, is_log_time ? "log" : "publish",
                  to_ns(is_log_time ? stamp.log_time : stamp.publish_time)),
      path);
}

}  // namespace kitbag
