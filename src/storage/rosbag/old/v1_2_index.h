#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "storage/chunked/run_store.h"
#include "storage/rosbag/old/v1_2.h"

namespace kitbag::rosbag {

/// Gets the index of a bag of version 1.2 as it stands.
struct IndexListener1_2 {
  std::function<void(std::uint64_t offset, std::string_view topic)> on_record;
  /// An entry of the last record. `place` is that of a message record, or of definition records
  /// directly before it.
  std::function<void(Time time, std::uint64_t place)> on_entry;
};

/// Reads the index records from `begin` to the end of the file. Throws Error (corrupt, truncated)
/// at the first place where none is whole.
void read_index_1_2(const ReadFile& file, const std::string& path, std::uint64_t begin,
                    const IndexListener1_2& listener);

/// Holds what was read against what the file's index says, by topic: how many messages, at what
/// times. A difference goes to `on_problem`: a message's time has no other witness. Places are not
/// looked at; nothing is read by them. True: there is an index.
bool verify_index_1_2(const ReadFile& file, const std::string& path, const V1_2Parser& parser,
                      const RunStore& store, const OnProblem& on_problem);

}  // namespace kitbag::rosbag
