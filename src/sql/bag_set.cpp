#include "sql/bag_set.h"

#include <algorithm>
#include <set>

#include "kitbag/bag_folder.h"
#include "kitbag/error.h"
#include "kitbag/paths.h"

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

std::vector<std::string> bags_at(const std::string& path, const Session& session) {
  if (is_path_glob(path, session)) return expanded_paths({path}, session);
  if (!is_folder_of_bags(path, session)) return {path};
  std::vector<std::string> paths = bags_in(path, session);
  if (paths.empty()) throw Error(ErrorCode::not_found, "there are no bags in this folder", path);
  return paths;
}

void sort_bags(BagSet& set) {
  std::stable_sort(set.bags.begin(), set.bags.end(), [](const NamedBag& a, const NamedBag& b) {
    return a.bag->summary().start < b.bag->summary().start;
  });
}

}  // namespace kitbag::sql
