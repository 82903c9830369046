#include <fmt/format.h>

#include "kitbag/pipeline.h"
#include "kitbag/selector.h"

// Each channel has a schedule with even steps. A message passes if it is not before `next`; then
// `next` moves on by one period. The simple rule, "at least one period since the last one that
// passed", gives too little: of 30 Hz throttled to 20 Hz, every second message would pass, which is
// 15 Hz. The schedule lets two of three pass.
//
// After a gap of a period or more the schedule begins anew at the message, or a burst would follow
// that makes up for the gap. It also begins anew where times run back: at a loop of a player, or at
// the next bag.

namespace kitbag {
namespace {

class ThrottleStage final : public Stage {
 public:
  explicit ThrottleStage(std::vector<Throttle> rates) : rates_(std::move(rates)) {}

  ChannelPtr map(const ChannelPtr& channel) override {
    if (channels_.size() <= channel->slot) channels_.resize(channel->slot + 1);
    for (const Throttle& rate : rates_) {
      if (!matches_glob(rate.topics, channel->topic)) continue;
      channels_[channel->slot].period = Duration(static_cast<std::int64_t>(1e9 / rate.hz));
      break;
    }
    return channel;
  }

  void apply(Batch& batch) override {
    batch.drop_if([this](const Message& message) {
      Limit& limit = channels_[message.channel->slot];
      if (limit.period == Duration::zero()) return false;
      bool begins = !limit.has_begun || message.log_time < limit.last;
      if (!begins && message.log_time < limit.next) return true;
      // Messages at uneven intervals are compared with an even schedule, so that their rate is
      // kept.
      bool is_steady =
          !begins && saturating_difference(limit.next, message.log_time) < limit.period;
      limit.next = saturating_add(is_steady ? limit.next : message.log_time, limit.period);
      limit.last = message.log_time;
      limit.has_begun = true;
      return false;
    });
  }

 private:
  struct Limit {
    Duration period{};  ///< zero: none
    bool has_begun = false;
    Time next{};
    Time last{};
  };

  std::vector<Throttle> rates_;
  std::vector<Limit> channels_;  ///< by slot
};

}  // namespace

std::unique_ptr<Stage> throttle(const std::vector<Throttle>& rates) {
  for (const Throttle& rate : rates) {
    if (rate.hz >= 1e-6 && rate.hz <= 1e9) continue;
    throw Error(ErrorCode::invalid,
                fmt::format("invalid throttle rate for {}: {} Hz; it must be from 1e-6 to 1e9",
                            rate.topics, rate.hz));
  }
  return std::make_unique<ThrottleStage>(rates);
}

}  // namespace kitbag
