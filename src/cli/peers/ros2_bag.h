#pragma once

// What the verbs of `ros2 bag` share.

#include <string>

#include "cli/peers/peer.h"

namespace kitbag::cli::of_ros2_bag {

inline constexpr char kStorageConfig[] =
    "kitbag has options instead: --chunk-size, --no-crc, --no-chunks, --compression, --preset";
inline constexpr char kCustomData[] =
    "add it to the recording: kitbag add BAG metadata NAME KEY=VALUE...";

/// `-i BAG [STORAGE]`, several times.
void take_inputs(PeerCommand& command);

/// Our option for a mode and a format of compression; "" for none.
std::string our_compression(const std::string& mode, const std::string& format,
                            const PeerCommand& command);

/// Reads the files that it names, and makes a line of ours for each output.
void complete_convert(PeerCommand& command);

}  // namespace kitbag::cli::of_ros2_bag
