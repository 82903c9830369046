#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kitbag/definitions.h"
#include "kitbag/export.h"
#include "kitbag/session.h"
#include "kitbag/stream.h"

namespace kitbag {

/// A message that a person writes, to be sent once or again and again:
///
///   auto source = written_message({.topic = "/cmd_vel", .type = "geometry_msgs/Twist",
///                                  .texts = {"linear: {x: 0.5}"}, .rate_hz = 10}, session);
///   run(*source, *session.publish("ros2://"), *session.clock(), stop);
struct WrittenMessage {
  std::string topic;               ///< its topic
  std::string type;                ///< "std_msgs/String", "std_msgs/msg/String"
  std::vector<std::string> texts;  ///< the value, as parse_value() takes it
  /// "ros1" or "cdr": the one whose definitions are preferred. The channel of the source says which
  /// it is; transcode() makes others of it.
  std::string encoding = "cdr";
  DefinitionPaths definitions = {};  ///< where to search for `type`
  bool is_latched = false;           ///< late subscribers get the last message
  std::uint64_t count = 1;           ///< how many are sent; UINT64_MAX: without an end
  double rate_hz = 1;                ///< how many a second, from 1e-6 to 1e6
};

/// Returns a source that gives the message `count` times, the first one at once. A time that is
/// "now" in `texts` is the time at which the message is given, which is also its log time. A
/// message that is late delays those that follow. The channel is there from the beginning. Throws
/// Error: not_found if there is no definition of the type, invalid if the value does not fit the
/// type or the rate is out of range.
KITBAG_API std::unique_ptr<Source> written_message(const WrittenMessage& message,
                                                   const Session& session);

}  // namespace kitbag
