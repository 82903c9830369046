#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kitbag/feed.h"
#include "kitbag/transport.h"
#include "transport/ros2/messages.h"

// What recorders and players of rosbag2 tell on topics.

namespace kitbag::ros2 {

/// Topics and types of events.
inline constexpr const char* kWriteSplit = "/events/write_split";
inline constexpr const char* kWriteSplitType = "rosbag2_interfaces/msg/WriteSplitEvent";
inline constexpr const char* kReadSplit = "/events/read_split";
inline constexpr const char* kReadSplitType = "rosbag2_interfaces/msg/ReadSplitEvent";
inline constexpr const char* kLost = "/events/rosbag2_messages_lost";
inline constexpr const char* kLostType = "rosbag2_interfaces/msg/MessagesLostEvent";

/// WriteSplitEvent or ReadSplitEvent of the node `node`, "/recorder". Paths become absolute.
Payload split_event(const FileChange& change, const std::string& node);

/// How many messages of a topic are missing.
struct MissingMessages {
  std::uint64_t lost = 0;     ///< they never arrived
  std::uint64_t dropped = 0;  ///< there was no space for them

  bool operator==(const MissingMessages&) const = default;
};

/// MessagesLostEvents of a recording, with what is new since the last one. One thread.
class LostMessages {
 public:
  /// Absent: nothing is.
  std::optional<Payload> next(const Feed& feed, const std::string& node);

 private:
  std::map<std::string, MissingMessages> told_;  ///< by topic
};

}  // namespace kitbag::ros2
