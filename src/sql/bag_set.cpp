#include "sql/bag_set.h"

#include <algorithm>
#include <set>

#include "kitbag/bag_folder.h"
#include "kitbag/error.h"
#include "kitbag/paths.h"
#include "kitbag/selector.h"

namespace kitbag::sql {

std::vector<std::string> topics_of(const BagSet& set) {
  std::set<std::string> topics;
  for (const NamedBag& each : set.bags) {
    for (const ChannelPtr& channel : *each.channels()) {
      if (channel) topics.insert(channel->topic);
    }
  }
  return {topics.begin(), topics.end()};
}

bool may_have(const NamedBag& bag, const Query& query) {
  const Summary& summary = bag.outline();
  // What a bag that is damaged says of its times is not trusted.
  bool is_outside = !bag.bag && (summary.messages == 0 || summary.end < query.begin ||
                                 (query.end != Time::max() && summary.start >= query.end));
  if (is_outside) return false;
  Selector selector(query.select);
  return std::any_of(summary.channels->begin(), summary.channels->end(),
                     [&](const ChannelPtr& each) { return each && selector.matches(*each); });
}

std::vector<std::string> bags_at(const std::string& path, const Session& session) {
  if (is_path_glob(path, session)) return expanded_paths({path}, session);
  if (!is_folder_of_bags(path, session)) return {path};
  std::vector<std::string> paths = bags_in(path, session);
  if (paths.empty()) throw Error(ErrorCode::not_found, "there are no bags in this folder", path);
  return paths;
}

void sort_bags(BagSet& set) {
  std::stable_sort(set.bags.begin(), set.bags.end(), [](const NamedBag& a, const NamedBag& b) {
    return a.outline().start < b.outline().start;
  });
}

}  // namespace kitbag::sql
