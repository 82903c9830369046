#include <utility>
#include <vector>

#include "flow/known_repeats.h"
#include "kitbag/pipeline.h"

// `nth` and `count` mean the merged messages, so they are taken from the single bags and applied
// behind the merge.

namespace kitbag {
namespace {

/// Leaves out channels by their slots.
class WithoutSlots final : public Stage {
 public:
  explicit WithoutSlots(std::vector<std::uint8_t> slots) : slots_(std::move(slots)) {}

  ChannelPtr map(const ChannelPtr& channel) override {
    bool is_left_out = channel->slot < slots_.size() && slots_[channel->slot] != 0;
    return is_left_out ? nullptr : channel;
  }

 private:
  std::vector<std::uint8_t> slots_;
};

std::unique_ptr<Source> read_merged(const std::vector<BagPtr>& bags, const Query& query,
                                    Order order, const Wait& wait) {
  if (bags.size() == 1) return bags.front()->read(query, wait);
  Query whole = query;
  whole.nth = 0;
  whole.count = UINT64_MAX;
  std::vector<std::vector<std::uint8_t>> repeats = known_repeats(bags, wait);
  std::vector<std::unique_ptr<Source>> sources;
  sources.reserve(bags.size());
  for (std::size_t i = 0; i < bags.size(); ++i) {
    auto source = bags[i]->read(whole, wait);
    if (!repeats[i].empty()) {
      source = through(std::move(source), std::make_unique<WithoutSlots>(std::move(repeats[i])));
    }
    sources.push_back(std::move(source));
  }
  return slice(merge(std::move(sources), order, query.by), query.nth, query.count);
}

}  // namespace

std::unique_ptr<Source> read(const std::vector<BagPtr>& bags, const Query& query,
                             const Wait& wait) {
  return read_merged(bags, query, query.order, wait);
}

std::unique_ptr<Source> read_in_turn(const std::vector<BagPtr>& bags, const Query& query,
                                     const Wait& wait) {
  return read_merged(bags, query, Order::file, wait);
}

}  // namespace kitbag
