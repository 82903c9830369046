#include <algorithm>

#include "kitbag/pipeline.h"
#include "stream/repeats.h"

// `nth` and `count` mean the merged messages, so they are taken from the single bags and applied
// behind the merge. Repeats of latched messages are left out in all bags but the one that begins
// first: there they may be the only copy, as the file before it may have been deleted.

namespace kitbag {
namespace {

/// The one of several bags that begins first.
std::size_t earliest(const std::vector<BagPtr>& bags) {
  auto starts_before = [](const BagPtr& a, const BagPtr& b) {
    return a->outline().start < b->outline().start;
  };
  return static_cast<std::size_t>(std::min_element(bags.begin(), bags.end(), starts_before) -
                                  bags.begin());
}

std::unique_ptr<Source> read_merged(const std::vector<BagPtr>& bags, const Query& query,
                                    Order order, const Wait& wait) {
  if (bags.size() == 1) return bags.front()->read(query, wait);
  Query whole = query;
  whole.nth = 0;
  whole.count = UINT64_MAX;
  std::vector<std::unique_ptr<Source>> sources;
  sources.reserve(bags.size());
  std::size_t first = bags.empty() ? 0 : earliest(bags);
  for (std::size_t i = 0; i < bags.size(); ++i) {
    auto source = bags[i]->read(whole, wait);
    if (i != first && has_repeats(*bags[i]->channels()))
      source = without_repeats(std::move(source));
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
