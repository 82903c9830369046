#include <fmt/format.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "kitbag/pipeline.h"
#include "kitbag/selector.h"

namespace kitbag {
namespace {

class EveryStage final : public Stage {
 public:
  explicit EveryStage(std::vector<Every> topics) : entries_(std::move(topics)) {}

  ChannelPtr map(const ChannelPtr& channel) override {
    if (by_slot_.size() <= channel->slot) by_slot_.resize(channel->slot + 1);
    for (const Every& entry : entries_) {
      if (!matches_glob(entry.topics, channel->topic)) continue;
      Counter& counter = by_topic_[channel->topic];  // of all its channels
      counter.period = entry.count;
      by_slot_[channel->slot] = &counter;
      break;
    }
    return channel;
  }

  void apply(Batch& batch) override {
    batch.drop_if([this](const Message& message) {
      Counter* counter = by_slot_[message.channel->slot];
      if (!counter || (message.flags & kState) != 0) return false;
      bool drops = counter->position != 0;
      if (++counter->position == counter->period) counter->position = 0;
      return drops;
    });
  }

 private:
  struct Counter {
    std::uint64_t period = 1;
    std::uint64_t position = 0;  ///< of the next message; the first of each period is kept
  };

  std::vector<Every> entries_;
  std::map<std::string, Counter> by_topic_;
  std::vector<Counter*> by_slot_;  ///< null: no entry matches
};

}  // namespace

std::unique_ptr<Stage> every(std::vector<Every> topics) {
  for (const Every& entry : topics) {
    if (entry.count > 0) continue;
    throw Error(ErrorCode::invalid,
                fmt::format("one of 0 messages of {} cannot be kept", entry.topics));
  }
  return std::make_unique<EveryStage>(std::move(topics));
}

}  // namespace kitbag
