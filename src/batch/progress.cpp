#include <algorithm>
#include <atomic>
#include <thread>

#include "batch/content.h"
#include "batch/job.h"

// What the journals say is compared with what is there, in two steps: the state of a target is one
// question to its file system, and only where that differs from the record the content is summed.
// So a run over bags that are all done takes a question for each. In a store a question is a round
// trip; there, kQuestions are on their way at a time.
//
// A target that is gone, or a bag that has changed, makes a bag wait again. A failed bag stays
// failed as long as the bag itself is the same, whatever is at its target.

namespace kitbag::batch {
namespace {

/// Questions to a store that are on their way at once.
constexpr unsigned kQuestions = 16;

/// Whether the target is still what was made.
bool is_there(const Record& record, const Session& session) {
  std::string state = state_of(record.task.target, session);
  if (state == record.target_state) return true;
  if (state.empty() || record.target_sum.empty()) return false;
  return sum_of(record.task.target, session) == record.target_sum;
}

BatchTask as_shown(const Task& task, const Record* record, const Session& session) {
  BatchTask result{task.source, task.target};
  // A bag that has changed is another bag.
  if (!record || record->task.source_state != task.source_state) return result;
  if (record->state == BatchState::done || record->state == BatchState::damaged) {
    if (!is_there(*record, session)) return result;
    result.was_there = true;
  }
  result.state = record->state;
  result.reason = record->reason;
  return result;
}

std::uint64_t& count_of(BatchState state, BatchCounts& counts, std::uint64_t& waiting) {
  switch (state) {
    case BatchState::done:
      return counts.done;
    case BatchState::damaged:
      return counts.damaged;
    case BatchState::failed:
      return counts.failed;
    case BatchState::waiting:
      break;
  }
  return waiting;
}

}  // namespace

Progress::Progress(const std::vector<Task>& tasks, const Records& records, const Session& session,
                   const std::stop_token& stop)
    : shown_(tasks.size()) {
  bool is_local = tasks.empty() || session.file_system(tasks.front().target)->is_local();
  std::atomic<std::size_t> next = 0;
  std::exception_ptr failure;
  auto look = [&] {
    try {
      for (std::size_t i = next++; i < tasks.size(); i = next++) {
        throw_if_stopped({stop});
        shown_[i] = as_shown(tasks[i], records.find(tasks[i].target), session);
      }
    } catch (...) {
      // The other threads stop at their next task.
      next = tasks.size();
      std::lock_guard lock(mutex_);
      failure = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> others;
    for (unsigned i = 1; !is_local && i < kQuestions; ++i) others.emplace_back(look);
    look();
  }
  if (failure) std::rethrow_exception(failure);
  counts_.all = tasks.size();
  std::uint64_t waiting = 0;
  for (const BatchTask& task : shown_) ++count_of(task.state, counts_, waiting);
  counts_.before = counts_.all - waiting;
}

BatchCounts Progress::counts() const {
  std::lock_guard lock(mutex_);
  return counts_;
}

std::vector<std::size_t> Progress::in_state(BatchState state) const {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < shown_.size(); ++i) {
    if (shown_[i].state == state) places.push_back(i);
  }
  return places;
}

void Progress::put(std::size_t place, const Record& record, bool was_there,
                   const BatchRunOptions& options) {
  std::lock_guard lock(mutex_);
  BatchTask& task = shown_[place];
  std::uint64_t waiting = 0;
  // A bag that failed before and was tried again leaves the counts of earlier runs.
  if (task.state != BatchState::waiting) --counts_.before;
  std::uint64_t& before = count_of(task.state, counts_, waiting);
  if (before > 0) --before;
  task.state = record.state;
  task.reason = record.reason;
  task.was_there = was_there;
  ++count_of(task.state, counts_, waiting);
  if (options.on_task) options.on_task(task, counts_);
}

void Progress::put_off(std::size_t place, const std::string& reason) {
  std::lock_guard lock(mutex_);
  shown_[place].reason = reason;
}

}  // namespace kitbag::batch
