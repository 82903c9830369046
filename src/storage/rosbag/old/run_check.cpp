#include "storage/rosbag/old/run_check.h"

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

void check_run(const ReadFile& file, const std::string& path, Run run,
               const OnProblem& on_finding) {
  RunKeys keys;
  OrderListener order;
  walk_run(file, path, run.begin, *run.parser, keys, on_finding, order);
  order.late.finish(path, on_finding);
}

}  // namespace kitbag::rosbag
