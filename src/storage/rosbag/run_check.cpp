#include "storage/rosbag/run_check.h"

#include <fmt/format.h>

#include <algorithm>

#include "kitbag/text.h"
#include "storage/chunked/run_walk.h"

namespace kitbag::rosbag {

namespace {

class OrderListener final : public RunListener {
 public:
  void on_message(std::uint64_t offset, std::uint64_t, std::uint32_t, Time time) override {
    late.add(offset, time);
  }
  void on_other(std::uint64_t, std::uint64_t, ByteView) override {}

  LateMessages late;
};

}  // namespace

void LateMessages::add(std::uint64_t offset, Time time) {
  if (time < last_ && count_++ == 0) {
    first_offset_ = offset;
    first_time_ = time;
  }
  last_ = std::max(last_, time);
}

void LateMessages::finish(const std::string& path, const OnProblem& on_finding) const {
  if (count_ == 0) return;
  on_finding(Error(ErrorCode::corrupt,
                   fmt::format("{} messages come after later ones, the first at {}; kitbag sort "
                               "puts them in order",
                               count_, format_time(first_time_)),
                   path, first_offset_));
}

void check_run(const ReadFile& file, const std::string& path, Run run,
               const OnProblem& on_finding) {
  RunKeys keys;
  OrderListener order;
  walk_run(file, path, run.begin, *run.parser, keys, on_finding, order);
  order.late.finish(path, on_finding);
}

}  // namespace kitbag::rosbag
