#include "kitbag/pipeline.h"
#include "kitbag/selector.h"

namespace kitbag {
namespace {

class Filter final : public Stage {
 public:
  explicit Filter(const Query& query) : selector_(query.select), query_(query) {}

  ChannelPtr map(const ChannelPtr& channel) override {
    return selector_.matches(*channel) ? channel : nullptr;
  }

  void apply(Batch& batch) override {
    if (query_.covers_all_times()) return;
    batch.drop_if([this](const Message& message) { return !is_in_range(message); });
  }

 private:
  bool is_in_range(const Message& message) const {
    bool is_by_publish_time = query_.by == TimeField::publish_time;
    return query_.covers(is_by_publish_time ? message.publish_time : message.log_time);
  }

  Selector selector_;
  Query query_;
};

}  // namespace

std::unique_ptr<Stage> filter(const Query& query) {
  return std::make_unique<Filter>(query);
}

}  // namespace kitbag
