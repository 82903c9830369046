#pragma once

#include <string>

#include "kitbag/error.h"
#include "kitbag/file.h"
#include "storage/rosbag/run_versions.h"

namespace kitbag::rosbag {

/// Counts the messages that come after later ones.
class LateMessages {
 public:
  void add(std::uint64_t offset, Time time);
  /// Tells of them, if there are any.
  void finish(const std::string& path, const OnProblem& on_finding) const;

 private:
  Time last_ = Time::min();
  std::uint64_t count_ = 0;
  std::uint64_t first_offset_ = 0;
  Time first_time_{};
};

/// Verifies what a version without index can have wrong: records that are not whole, order.
void check_run(const ReadFile& file, const std::string& path, Run run, const OnProblem& on_finding);

/// Verifies version 1.2: records, order, definitions, and the index entry by entry.
void check_1_2(const ReadFile& file, const std::string& path, const OnProblem& on_finding);

}  // namespace kitbag::rosbag
