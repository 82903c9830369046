#pragma once

#include <string>

#include "kitbag/bag.h"
#include "kitbag/message.h"
#include "kitbag/time.h"

namespace kitbag {

/// The times that a format can store.
struct StoredTimes {
  const char* format;  ///< for people: "MCAP"
  const char* span;    ///< for people: "from 1970 on"
  Time first;
  Time last;
  bool has_publish_time;  ///< whether it stores that, too

  bool holds(Time log_time, Time publish_time) const {
    auto is_in = [&](Time time) { return first <= time && time <= last; };
    return is_in(log_time) && (!has_publish_time || is_in(publish_time));
  }
};

/// Throws a Refusal that names the topic, the file and the time.
[[noreturn]] void refuse_times(const StoredTimes& times, const Channel& channel, const Stamp& stamp,
                               const std::string& path);

/// Refuses a message whose times the format cannot store; nothing may have been written of it.
inline void require_stored(const StoredTimes& times, const Channel& channel, const Stamp& stamp,
                           const std::string& path) {
  if (!times.holds(stamp.log_time, stamp.publish_time)) refuse_times(times, channel, stamp, path);
}

/// The same for a batch: all of it is refused if one message is.
inline void require_stored(const StoredTimes& times, const Batch& batch, const std::string& path) {
  for (const Message& message : batch.messages()) {
    if (times.holds(message.log_time, message.publish_time)) continue;
    refuse_times(times, *message.channel,
                 {message.log_time, message.publish_time, message.sequence}, path);
  }
}

}  // namespace kitbag
