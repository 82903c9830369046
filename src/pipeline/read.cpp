#include <algorithm>

#include "kitbag/pipeline.h"
#include "model/repeats.h"
#include "pipeline/latched.h"

namespace kitbag {
namespace {

/// Of a source's messages: skips `nth`, then gives `count`.
class Slice final : public Source {
 public:
  Slice(std::unique_ptr<Source> source, std::uint64_t nth, std::uint64_t count)
      : source_(std::move(source)), skip_(nth), left_(count) {}

  ChannelsPtr channels() const override { return source_->channels(); }

  bool read(Batch& batch, const Wait& wait) override {
    while (left_ > 0 && source_->read(batch, wait)) {
      bool is_pause = batch.empty();
      batch.drop_if([this](const Message& message) {
        bool is_state = (message.flags & kState) != 0;
        return !is_state && !is_within();
      });
      if (is_pause || !batch.empty() || !batch.extras.empty()) return true;
      batch.clear();
    }
    return false;
  }

 private:
  /// Counts one message.
  bool is_within() {
    if (skip_ > 0) return skip_--, false;
    return left_ > 0 ? left_--, true : false;
  }

  std::unique_ptr<Source> source_;
  std::uint64_t skip_;
  std::uint64_t left_;
};

/// Of several bags the one with which it begins.
std::size_t earliest(const std::vector<BagPtr>& bags) {
  auto starts_before = [](const BagPtr& a, const BagPtr& b) {
    return a->summary().start < b->summary().start;
  };
  return static_cast<std::size_t>(std::min_element(bags.begin(), bags.end(), starts_before) -
                                  bags.begin());
}

}  // namespace

std::unique_ptr<Source> read(const std::vector<BagPtr>& bags, const Query& query) {
  if (bags.size() == 1) return read_with_state(*bags.front(), query);
  Query whole = query;
  whole.nth = 0;
  whole.count = UINT64_MAX;
  std::vector<std::unique_ptr<Source>> sources;
  sources.reserve(bags.size());
  std::size_t first = bags.empty() ? 0 : earliest(bags);
  for (std::size_t i = 0; i < bags.size(); ++i) {
    auto source = read_with_state(*bags[i], whole);
    if (i != first && has_repeats(bags[i]->summary())) source = without_repeats(std::move(source));
    sources.push_back(std::move(source));
  }
  auto merged = merge(std::move(sources), query.order, query.by);
  if (query.nth == 0 && query.count == UINT64_MAX) return merged;
  return slice(std::move(merged), query.nth, query.count);
}

std::unique_ptr<Source> slice(std::unique_ptr<Source> source, std::uint64_t nth,
                              std::uint64_t count) {
  return std::make_unique<Slice>(std::move(source), nth, count);
}

}  // namespace kitbag
