#include <algorithm>

#include "storage/chunked/bag.h"
#include "storage/rosbag/old/old_writer.h"
#include "storage/rosbag/old/run_check.h"
#include "storage/rosbag/old/run_lines.h"
#include "storage/rosbag/old/run_versions.h"
#include "storage/rosbag/old/v1_2_index.h"
#include "storage/rosbag/versions.h"

// Opening a bag of these versions reads all of it, because they have no index, or one that is only
// compared. What the pass finds (places, times and counts of stretches) makes the bag as fast as
// one with chunks afterwards (decision 003).
//
// Versions are recognised by their first line, except version 0, which has none. How sure that is
// goes into the summary, so that a person sees that it is a guess.

namespace kitbag::rosbag {

namespace {

constexpr std::string_view kLine1_1 = "#ROSRECORD V1.1\n";
constexpr std::string_view kOtherLine1_1 = "#ROSLOG V1.1\n";
constexpr std::string_view kLine1_0 = "#ROSLOG V1.0\n";

/// Throws for a file that ends inside its first line.
void require_whole_line(const Input& input) {
  if (as_text(input.head).find('\n') != std::string_view::npos) return;
  throw Error(ErrorCode::truncated, "the file ends within its first line; nothing can be saved",
              input.path, input.head.size());
}

/// Before the file is read: it may be growing.
Summary old_summary(const Input& input, std::string_view version) {
  Summary summary;
  summary.format = "rosbag";
  summary.version = version;
  summary.size_bytes = input.file->size();
  summary.indexed = false;
  summary.holds_definitions = version == "1.2";  // of 2009; before, bags had no place for them
  return summary;
}

std::shared_ptr<const RunStore> read_run(const Input& input, const ReadOptions& options, Run run) {
  return std::make_shared<const RunStore>(input.file, input.path, run.begin, std::move(run.parser),
                                          options);
}

int matches_1_2(const Input& input) {
  return match_line(input, kLine1_2);
}
int matches_1_1(const Input& input) {
  return std::max(match_line(input, kLine1_1), match_line(input, kOtherLine1_1));
}
int matches_1_0(const Input& input) {
  return match_line(input, kLine1_0);
}

/// There is no magic: three lines of text, of which the second looks like an MD5 sum and the third
/// like a type, and a plausible message behind them. One of the two may be missing.
int matches_0(const Input& input) {
  if (!input.file) return 0;
  ByteView bytes = input.head;
  bool is_cut = false;
  auto lines = take_channel_lines(bytes, is_cut);
  if (!lines || lines->topic.front() == '#' || !is_md5(lines->md5sum)) return 0;
  bool is_plausible = parse_message(bytes, 0).kind != RunRecord::Kind::damaged;
  bool is_typed = lines->md5sum != "*" && lines->type.find('/') != std::string_view::npos;
  if (is_typed && is_plausible) return 60;
  return is_typed || is_plausible ? 20 : 0;
}

/// The index is only compared with what was read: its first entry of a topic points at the
/// definition, and nothing is lost by not using it.
BagPtr open_1_2(const Input& input, const ReadOptions& options, const Session&) {
  require_whole_line(input);
  Summary summary = old_summary(input, "1.2");
  auto parser = std::make_unique<V1_2Parser>();
  const V1_2Parser& known = *parser;
  auto store = read_run(input, options, {kLine1_2.size(), std::move(parser)});
  for (const ChannelPtr& channel : *store->channels()) {
    std::string contradiction = known.contradiction(*channel);
    if (contradiction.empty()) continue;
    report(options.on_problem, Error(ErrorCode::corrupt, contradiction, input.path));
  }
  if (known.index_pos() != 0) {
    summary.indexed = verify_index_1_2(*input.file, input.path, known, *store, options.on_problem);
  } else if (known.has_file_header()) {
    report(options.on_problem,
           Error(ErrorCode::truncated,
                 "the bag was not closed and has no index; everything that is intact is read",
                 input.path, kLine1_2.size()));
  }
  return std::make_shared<ChunkedBag>(std::move(store), std::move(summary), input.file);
}

void check_old_1_2(const Input& input, const ReadOptions& options) {
  require_whole_line(input);
  check_1_2(*input.file, input.path, options.on_problem);
}

BagPtr open_1_1(const Input& input, const ReadOptions& options, const Session&) {
  require_whole_line(input);
  Summary summary = old_summary(input, "1.1");
  auto store = read_run(input, options, open_v1_1(*input.file, input.path));
  return std::make_shared<ChunkedBag>(std::move(store), std::move(summary), input.file);
}

void check_1_1(const Input& input, const ReadOptions& options) {
  require_whole_line(input);
  check_run(*input.file, input.path, open_v1_1(*input.file, input.path), options.on_problem);
}

BagPtr open_1_0(const Input& input, const ReadOptions& options, const Session&) {
  require_whole_line(input);
  Summary summary = old_summary(input, "1.0");
  auto store = read_run(input, options, open_v1_0(*input.file, input.path));
  return std::make_shared<ChunkedBag>(std::move(store), std::move(summary), input.file);
}

void check_1_0(const Input& input, const ReadOptions& options) {
  require_whole_line(input);
  check_run(*input.file, input.path, open_v1_0(*input.file, input.path), options.on_problem);
}

BagPtr open_0(const Input& input, const ReadOptions& options, const Session&) {
  Summary summary = old_summary(input, "0");
  auto store = read_run(input, options, open_v0(*input.file, input.path));
  summary.certainty = matches_0(input);
  return std::make_shared<ChunkedBag>(std::move(store), std::move(summary), input.file);
}

void check_0(const Input& input, const ReadOptions& options) {
  check_run(*input.file, input.path, open_v0(*input.file, input.path), options.on_problem);
}

}  // namespace

Version version_1_2() {
  return {"1.2", matches_1_2, open_1_2, check_old_1_2, create_1_2, nullptr, {kLine1_2}};
}
Version version_1_1() {
  return {"1.1", matches_1_1, open_1_1, check_1_1, create_1_1, nullptr, {kLine1_1, kOtherLine1_1},
          true};
}
Version version_1_0() {
  return {"1.0", matches_1_0, open_1_0, check_1_0, nullptr, nullptr, {kLine1_0}, true};
}
Version version_0() {
  return {"0", matches_0, open_0, check_0, nullptr, nullptr};
}

}  // namespace kitbag::rosbag
