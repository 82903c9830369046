#include "batch/record.h"

#include <charconv>
#include <vector>

#include "base/summed_line.h"

// The fields of the lines, in their order:
//
//   task     source, its state, target
//   record   what became of it, time in ns since 1970, source, its state, target, the state and the
//            sum of the target, reason
//
// A line with more or fewer fields is treated like a torn one: another version of kitbag may have
// written it, and the bag counts as unknown.

namespace kitbag::batch {
namespace {

constexpr std::size_t kTaskFields = 3;
constexpr std::size_t kRecordFields = 8;

std::optional<BatchState> state_named(std::string_view name) {
  for (BatchState state :
       {BatchState::waiting, BatchState::done, BatchState::damaged, BatchState::failed}) {
    if (name == to_string(state)) return state;
  }
  return std::nullopt;
}

}  // namespace

std::string line_of(const Task& task) {
  return summed_line({task.source, task.source_state, task.target});
}

std::string line_of(const Record& record) {
  return summed_line({to_string(record.state), std::to_string(record.time_ns), record.task.source,
                      record.task.source_state, record.task.target, record.target_state,
                      record.target_sum, record.reason});
}

std::optional<Task> task_of(std::string_view line) {
  auto fields = fields_of_summed_line(line);
  if (!fields || fields->size() != kTaskFields) return std::nullopt;
  return Task{(*fields)[0], (*fields)[1], (*fields)[2]};
}

std::optional<Record> record_of(std::string_view line) {
  auto found = fields_of_summed_line(line);
  if (!found || found->size() != kRecordFields) return std::nullopt;
  const std::vector<std::string>& fields = *found;
  auto state = state_named(fields[0]);
  std::int64_t time_ns = 0;
  const char* end = fields[1].data() + fields[1].size();
  if (!state || std::from_chars(fields[1].data(), end, time_ns).ptr != end) return std::nullopt;
  return Record{
      {fields[2], fields[3], fields[4]}, *state, time_ns, fields[5], fields[6], fields[7]};
}

}  // namespace kitbag::batch

namespace kitbag {

const char* to_string(BatchState state) {
  switch (state) {
    case BatchState::waiting:
      return "waiting";
    case BatchState::done:
      return "done";
    case BatchState::damaged:
      return "damaged";
    case BatchState::failed:
      return "failed";
  }
  return "";
}

}  // namespace kitbag
