#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "kitbag/message.h"
#include "kitbag/transport.h"

namespace kitbag {

/// The topics of the channels that a system has declared, for transports whose systems say nothing
/// of nodes. A topic is there as long as one of its channels is. Any thread.
class KnownTopics {
 public:
  void add(const Channel& channel) {
    std::lock_guard lock(mutex_);
    ++counts_[{channel.topic, channel.type()}];
  }
  /// A channel that was added.
  void remove(const Channel& channel) {
    std::lock_guard lock(mutex_);
    auto known = counts_.find({channel.topic, channel.type()});
    if (known != counts_.end() && --known->second == 0) counts_.erase(known);
  }
  void clear() {
    std::lock_guard lock(mutex_);
    counts_.clear();
  }
  /// Sorted by name and type.
  std::vector<LiveTopic> topics() const {
    std::lock_guard lock(mutex_);
    std::vector<LiveTopic> all;
    all.reserve(counts_.size());
    for (const auto& [names, count] : counts_) all.push_back({names.first, names.second});
    return all;
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::pair<std::string, std::string>, std::size_t> counts_;  ///< by topic and type
};

}  // namespace kitbag
