#include <algorithm>
#include <utility>

#include "flow/timeline.h"
#include "kitbag/pipeline.h"

// Deadlines are computed from one clock and the first message, so a late message does not delay
// those after it. A batch of the source is held back and given out as its messages become due.
//
// While it waits for the first message that is due, run() stays in read(); the sink's own deadline
// (`wait.until`) ends the wait early, with an empty batch. A batch is not cut into single messages:
// all that are due by then leave together.

namespace kitbag {
namespace {

class PacedSource final : public Source {
 public:
  PacedSource(std::unique_ptr<Source> source, ClockPtr clock, double rate)
      : source_(std::move(source)), clock_(std::move(clock)), timeline_(rate) {
    if (!(rate > 0)) {
      throw Error(ErrorCode::invalid, "invalid playback rate; it must be greater than 0");
    }
  }

  ChannelsPtr channels() const override { return source_->channels(); }

  bool read(Batch& batch, const Wait& wait) override {
    if (held_.empty()) {
      held_.clear();
      if (!source_->read(held_, wait)) return false;
    }
    batch.channels = held_.channels;
    if (!held_.empty()) {
      SteadyTime due = deadline(held_.messages().front());
      clock_->sleep({wait.stop, std::min(due, wait.until)});
    }
    batch.take_front(held_, count_due());
    return true;
  }

 private:
  /// When a message is due; SteadyTime::min(): at once.
  SteadyTime deadline(const Message& message) {
    if ((message.flags & kState) != 0) return SteadyTime::min();
    if (!timeline_.is_anchored()) timeline_.anchor(message.log_time, clock_->steady());
    return timeline_.due(message.log_time);
  }

  std::size_t count_due() {
    SteadyTime now = clock_->steady();
    std::size_t count = 0;
    for (const Message& message : held_.messages()) {
      if (deadline(message) > now) break;
      ++count;
    }
    return count;
  }

  std::unique_ptr<Source> source_;
  ClockPtr clock_;
  Timeline timeline_;
  Batch held_;
};

}  // namespace

std::unique_ptr<Source> pace(std::unique_ptr<Source> source, ClockPtr clock, double rate) {
  return std::make_unique<PacedSource>(std::move(source), std::move(clock), rate);
}

}  // namespace kitbag
