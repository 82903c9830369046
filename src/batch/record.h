#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "kitbag/batch.h"

namespace kitbag::batch {

/// A bag to work on.
struct Task {
  std::string source;
  std::string source_state;  ///< of its content (content.h)
  std::string target;
};

/// What became of a task, as it stands in a journal.
struct Record {
  Task task;
  BatchState state = BatchState::waiting;
  std::int64_t time_ns = 0;       ///< since 1970
  std::string target_state = {};  ///< as found after the work (content.h)
  std::string target_sum = {};    ///< likewise
  std::string reason = {};
};

/// Returns the lines of journals and lists of tasks, with their ends.
std::string line_of(const Task& task);
std::string line_of(const Record& record);
/// Returns what such a line says; nothing for one that is torn.
std::optional<Task> task_of(std::string_view line);
std::optional<Record> record_of(std::string_view line);

}  // namespace kitbag::batch
