#pragma once

#include <string>

#include "transport/ros2/participant.h"
#include "transport/ros2/raw_type.h"

namespace kitbag::ros2 {

/// A topic on which kitbag's node publishes events.
class EventTopic {
 public:
  /// `participant` must outlive it; it is told of the writer, and announces it when it announces
  /// next. Throws Error (io).
  EventTopic(Participant& participant, const std::string& topic, const std::string& type);

  /// From any thread. What cannot be sent at once is dropped.
  void tell(ByteView event) const { write_raw(writer_.get(), topic_, event); }

 private:
  RawTopic topic_;
  Entity writer_;
};

}  // namespace kitbag::ros2
