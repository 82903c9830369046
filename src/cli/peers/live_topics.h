#pragma once

// What rostopic and ros2 topic share.

#include <string>

#include "cli/peers/peer.h"

namespace kitbag::cli::of_live_topics {

inline constexpr PeerOption kFrom{"--from", kOne};
inline constexpr PeerOption kTo{"--to", kOne};
inline constexpr PeerOption kWindow{
    "-w,--window", kOne, {}, "kitbag topics --watch counts the messages of the last ten seconds"};
inline constexpr PeerOption kHzFilter{
    "--filter", kOne, {}, "kitbag counts all messages of a topic"};
inline constexpr PeerOption kWallTime{"--wall-time"};  // kitbag has no other
inline constexpr PeerOption kEchoFilter{"--filter", kOne, "--where={}"};
inline constexpr PeerOption kRate{"-r,--rate", kOne, "--rate={}"};
inline constexpr PeerOption kOnce{"-1,--once", {}, "--once"};

inline constexpr char kNoClear[] = "kitbag prints message after message; leave it out";
inline constexpr char kNoArrays[] = "kitbag echo --elide N limits lists to N elements";

/// Puts in front of the arguments the system that --from names, or `system`.
void put_system(PeerCommand& command, const std::string& system);
/// The same, where the arguments are topics.
void put_topics(PeerCommand& command, const std::string& system);
/// The same, where the argument is a type.
void put_type(PeerCommand& command, const std::string& system);
/// The system, and behind all options the arguments of a message that is published: a value may
/// begin with "-".
void put_values(PeerCommand& command, const std::string& system);

/// `delay` is refused.
void complete_delay(PeerCommand& command);

}  // namespace kitbag::cli::of_live_topics
