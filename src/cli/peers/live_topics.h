#pragma once

// What rostopic and ros2 topic share.

#include <string>

#include "cli/peers/peer.h"

namespace kitbag::cli::of_live_topics {

inline constexpr char kNoWindow[] =
    "kitbag topics --watch counts the messages of the last ten seconds";
inline constexpr char kNoClear[] = "kitbag prints message after message; leave it out";

/// The arguments of a message that is published, behind all options: a value may begin with "-".
void put_values(PeerCommand& command, const std::string& system);

}  // namespace kitbag::cli::of_live_topics
