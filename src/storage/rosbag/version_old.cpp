#include <algorithm>

#include "storage/chunked/bag.h"
#include "storage/rosbag/records.h"
#include "storage/rosbag/run_lines.h"
#include "storage/rosbag/run_versions.h"
#include "storage/rosbag/versions.h"

namespace kitbag::rosbag {

namespace {

BagPtr open_run(const Input& input, const ReadOptions& options, std::string_view version, Run run) {
  auto store = std::make_shared<const RunStore>(input.file, input.path, run.begin,
                                                std::move(run.parser), options);
  Summary summary;
  summary.format = "rosbag";
  summary.version = version;
  summary.size_bytes = input.file->size();
  summary.indexed = false;
  return std::make_shared<ChunkedBag>(std::move(store), std::move(summary));
}

/// What is whole was told by opening; what remains is the order.
void check_run(const Input& input, const OnProblem& on_finding, const Version& version) {
  BagPtr bag = version.open(input, {.on_problem = on_finding});
  Query query;
  query.order = Order::file;
  auto source = bag->read(query);
  Time last = Time::min();
  std::uint64_t late = 0;
  for (Batch batch; source->read(batch, {}); batch.clear()) {
    for (const Message& message : batch.messages()) {
      if (message.log_time < last) ++late;
      last = std::max(last, message.log_time);
    }
  }
  if (late > 0) {
    on_finding(Error(
        ErrorCode::corrupt,
        std::to_string(late) + " messages come after later ones; kitbag sort puts them in order",
        input.path, 0));
  }
}

int matches_1_2(const Input& input) {
  return match_line(input, "#ROSRECORD V1.2\n");
}
int matches_1_1(const Input& input) {
  return std::max(match_line(input, "#ROSRECORD V1.1\n"), match_line(input, "#ROSLOG V1.1\n"));
}
int matches_1_0(const Input& input) {
  return match_line(input, "#ROSLOG V1.0\n");
}

/// There is no magic: three lines of text, of which the second looks like an MD5 sum, and a
/// plausible message behind them.
int matches_0(const Input& input) {
  if (!input.file) return 0;
  ByteView bytes = input.head;
  bool is_cut = false;
  auto topic = take_line(bytes, is_cut);
  auto md5sum = topic ? take_line(bytes, is_cut) : std::nullopt;
  auto type = md5sum ? take_line(bytes, is_cut) : std::nullopt;
  if (!type || topic->front() == '#' || !is_md5(*md5sum)) return 0;
  if (!bytes.empty() && parse_message(bytes, 0, {}).kind == RunRecord::Kind::damaged) return 0;
  bool is_typed = *md5sum != "*" && type->find('/') != std::string_view::npos;
  return is_typed ? 60 : 20;
}

BagPtr open_1_2(const Input& input, const ReadOptions& options) {
  return open_run(input, options, "1.2", open_v1_2(*input.file, input.path));
}
BagPtr open_1_1(const Input& input, const ReadOptions& options) {
  return open_run(input, options, "1.1", open_v1_1(*input.file, input.path));
}
BagPtr open_1_0(const Input& input, const ReadOptions& options) {
  return open_run(input, options, "1.0", open_v1_0(*input.file, input.path));
}
BagPtr open_0(const Input& input, const ReadOptions& options) {
  return open_run(input, options, "0", open_v0(*input.file, input.path));
}

}  // namespace

Version version_1_2() {
  return {"1.2",
          matches_1_2,
          open_1_2,
          [](const Input& input, const OnProblem& on_finding) {
            check_run(input, on_finding, version_1_2());
          },
          nullptr,
          nullptr};
}

Version version_1_1() {
  return {"1.1",
          matches_1_1,
          open_1_1,
          [](const Input& input, const OnProblem& on_finding) {
            check_run(input, on_finding, version_1_1());
          },
          nullptr,
          nullptr};
}

Version version_1_0() {
  return {"1.0",
          matches_1_0,
          open_1_0,
          [](const Input& input, const OnProblem& on_finding) {
            check_run(input, on_finding, version_1_0());
          },
          nullptr,
          nullptr};
}

Version version_0() {
  return {"0",
          matches_0,
          open_0,
          [](const Input& input, const OnProblem& on_finding) {
            check_run(input, on_finding, version_0());
          },
          nullptr,
          nullptr};
}

}  // namespace kitbag::rosbag
