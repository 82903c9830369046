#pragma once

#include <functional>

#include "storage/sqlite3/reader.h"

namespace kitbag::sqlite3 {

/// Goes through all messages and through the index by time, and holds one against the other and
/// both against what the bag says of itself. Contradictions go to `on_problem`; `on_message`, which
/// may be empty, gets the page of each message and its time. What is damaged in the pages
/// themselves is found by reading them, and is told there.
void verify(const Store& store, const OnProblem& on_problem,
            const std::function<void(std::uint64_t offset, Time time)>& on_message);

/// verify(), and whether the messages come in order of time.
void check_bag(const Input& input, const ReadOptions& options);

}  // namespace kitbag::sqlite3
