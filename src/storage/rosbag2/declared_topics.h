#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "storage/rosbag2/metadata.h"

namespace kitbag::rosbag2 {

/// Finds the declared entries of topics, each once. Topics with one name and type are distinguished
/// by their order.
class DeclaredTopics {
 public:
  explicit DeclaredTopics(const std::vector<BagMetadata::Topic>& topics) {
    for (std::size_t i = topics.size(); i > 0; --i) {
      places_[{topics[i - 1].name, topics[i - 1].type}].push_back(i - 1);
    }
  }

  /// Where in the list the next of this name and type is; nothing where there is none left.
  std::optional<std::size_t> take(const std::string& name, const std::string& type) {
    auto found = places_.find({name, type});
    if (found == places_.end() || found->second.empty()) return std::nullopt;
    std::size_t place = found->second.back();
    found->second.pop_back();
    return place;
  }

 private:
  std::map<std::pair<std::string, std::string>, std::vector<std::size_t>> places_;  ///< last first
};

}  // namespace kitbag::rosbag2
