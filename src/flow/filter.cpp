#include "kitbag/pipeline.h"
#include "kitbag/selector.h"

namespace kitbag {
namespace {

class Filter final : public Stage {
 public:
  explicit Filter(const Query& query)
      : selector_(query.select), begin_(query.begin), end_(query.end), by_(query.by) {}

  ChannelPtr map(const ChannelPtr& channel) override {
    return selector_.matches(*channel) ? channel : nullptr;
  }

  void apply(Batch& batch) override {
    if (begin_ == Time::min() && end_ == Time::max()) return;
    batch.drop_if([this](const Message& message) { return !is_in_range(message); });
  }

 private:
  bool is_in_range(const Message& message) const {
    Time time = by_ == TimeField::publish_time ? message.publish_time : message.log_time;
    return time >= begin_ && (time < end_ || end_ == Time::max());
  }

  Selector selector_;
  Time begin_;
  Time end_;
  TimeField by_;
};

}  // namespace

std::unique_ptr<Stage> filter(const Query& query) {
  return std::make_unique<Filter>(query);
}

}  // namespace kitbag
