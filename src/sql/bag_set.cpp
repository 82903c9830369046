#include "sql/bag_set.h"

#include <algorithm>
#include <set>

namespace kitbag::sql {

std::vector<std::string> topics_of(const BagSet& set) {
  std::set<std::string> topics;
  for (const NamedBag& each : set.bags) {
    for (const ChannelPtr& channel : *each.bag->summary().channels) {
      if (channel) topics.insert(channel->topic);
    }
  }
  return {topics.begin(), topics.end()};
}

void sort_bags(BagSet& set) {
  std::stable_sort(set.bags.begin(), set.bags.end(), [](const NamedBag& a, const NamedBag& b) {
    return a.bag->summary().start < b.bag->summary().start;
  });
}

}  // namespace kitbag::sql
