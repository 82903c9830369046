#pragma once

#include <functional>

#include "storage/sqlite3/reader.h"

namespace kitbag::sqlite3 {

/// Reads all messages and the index by time, and compares them with each other and both with what
/// the bag says about itself. Contradictions go to `on_problem`; `on_message`, which may be empty,
/// gets the page of each message and its time. Damage in the pages themselves is found and reported
/// when they are read.
void verify(const Store& store, const OnProblem& on_problem,
            const std::function<void(std::uint64_t offset, Time time)>& on_message);

/// verify(), and whether the messages come in order of time.
void check_bag(const Input& input, const ReadOptions& options);

}  // namespace kitbag::sqlite3
