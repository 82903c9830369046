#pragma once

#include "storage/rosbag/record_file.h"

namespace kitbag::rosbag {

/// Verifies a bag to the last byte: every record from the file header to the end of the file, each
/// chunk against the index behind it and against its chunk info, all connection records against one
/// another, and the order of the messages in time. Each finding goes to `on_finding` with its
/// offset.
void check(const ChunkFile& file, const OnProblem& on_finding);

}  // namespace kitbag::rosbag
