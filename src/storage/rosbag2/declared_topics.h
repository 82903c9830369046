#pragma once

#include <cstddef>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kitbag/error.h"
#include "kitbag/rosbag2.h"
#include "storage/rosbag2/metadata.h"

namespace kitbag::rosbag2 {

/// Finds the declared entries of topics, each once. Topics with one name and type are distinguished
/// by their order.
class DeclaredTopics {
 public:
  /// `topics` must outlive it, and may grow.
  explicit DeclaredTopics(const std::vector<BagMetadata::Topic>& topics) : topics_(topics) {
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

  /// The same, for the next that also has this QoS, a text in `form`.
  std::optional<std::size_t> take_alike(const BagMetadata::Topic& topic, QosForm form) {
    auto found = places_.find({topic.name, topic.type});
    if (found == places_.end()) return std::nullopt;
    auto& places = found->second;
    for (auto place = places.rbegin(); place != places.rend(); ++place) {
      if (!has_qos(topics_[*place], topic.qos, form)) continue;
      std::size_t taken = *place;
      places.erase(std::next(place).base());
      return taken;
    }
    return std::nullopt;
  }

 private:
  /// Others write the same profiles in other words.
  static bool has_qos(const BagMetadata::Topic& topic, const std::string& qos, QosForm form) {
    if (topic.qos == qos) return true;
    if (topic.qos.empty() || qos.empty()) return false;
    try {
      return print_qos(parse_qos(topic.qos), form) == qos;
    } catch (const Error&) {
      return false;
    }
  }

  const std::vector<BagMetadata::Topic>& topics_;
  std::map<std::pair<std::string, std::string>, std::vector<std::size_t>> places_;  ///< last first
};

}  // namespace kitbag::rosbag2
