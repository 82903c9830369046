#pragma once

#include <string>

#include "kitbag/bag.h"
#include "kitbag/pipeline.h"
#include "kitbag/session.h"

// Several writers, one bag: processes, also on several machines with one file system, write to one
// directory of rosbag2 at the same time. Each writes files of its own, complete in themselves, and
// readers see one bag, also while some still write and after any of them was killed.
//
//   auto sink = split({.bytes = 1 << 30}, join_to("runs/today/", {}, session));
//
// docs/live.md describes the directory; Recorder does the same with RecordTarget::joins.

namespace kitbag {

/// Returns the files of one of several writers of `directory`, which is created unless it exists.
/// They are called by the directory, the machine, the process and random letters, such as
/// today_robot1-4711-x7k2qf_0.mcap. metadata.yaml lists each from its beginning, and its messages
/// and times from its end on; the writers change it in turn, each only its own entries.
///
/// An existing directory keeps the format of its files, unless `options` name one, and the version
/// of its metadata. What is written is visible from the start, and stays if the program dies; a
/// file without messages stays only if it is closed. Warnings go to `options.on_warning`: a topic
/// that has another type in files of others, a file system without locks.
///
/// Creating a file throws Error: invalid, if there is no bag at `directory` but something else, or
/// a bag with files of another format or compression; corrupt, if its metadata.yaml is damaged;
/// busy, if another program writes to all of it, such as an append.
KITBAG_API SplitFiles join_to(const std::string& directory, const WriteOptions& options,
                              const Session& session);

}  // namespace kitbag
