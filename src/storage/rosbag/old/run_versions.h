#pragma once

#include <memory>

#include "kitbag/file.h"
#include "storage/chunked/run_store.h"

/// The versions before records had headers, each a run of records: docs/formats/rosbag-old.md.
namespace kitbag::rosbag {

/// Where a run begins, and how its records are read.
struct Run {
  std::uint64_t begin = 0;
  std::unique_ptr<RunParser> parser;
};

/// V0: three lines (topic, md5sum, type), then messages of that one topic.
/// Throws Error (truncated, corrupt) if the lines are not there; so do the others.
Run open_v0(const ReadFile& file, const std::string& path);
/// V1.0: a table of topics, then messages that name theirs. Times count from the recorder's start.
Run open_v1_0(const ReadFile& file, const std::string& path);
/// V1.1: each message with its topic, md5sum and type.
Run open_v1_1(const ReadFile& file, const std::string& path);

}  // namespace kitbag::rosbag
