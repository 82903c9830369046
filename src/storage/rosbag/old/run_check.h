#pragma once

#include <string>

#include "kitbag/error.h"
#include "kitbag/file.h"
#include "storage/rosbag/old/run_versions.h"
#include "storage/writing/late_messages.h"

namespace kitbag::rosbag {

/// Verifies what a version without index can have wrong: records that are not whole, order.
void check_run(const ReadFile& file, const std::string& path, Run run, const OnProblem& on_finding);

/// Verifies version 1.2: records, order, definitions, and the index entry by entry.
void check_1_2(const ReadFile& file, const std::string& path, const OnProblem& on_finding);

}  // namespace kitbag::rosbag
