#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "kitbag/foxglove.h"
#include "kitbag/transport.h"

namespace kitbag::foxglove {

/// Who sends and receives what behind a server, as it says. Any thread.
class Graph {
 public:
  /// `most_bytes`: of all names together.
  explicit Graph(std::size_t most_bytes) : most_bytes_(most_bytes) {}

  /// False: there was no room for all of it.
  bool take(const ConnectionGraphUpdate& update);
  void clear();
  /// `topics` with their nodes, and those that are known by their nodes alone; sorted by name.
  std::vector<LiveTopic> completed(std::vector<LiveTopic> topics) const;

 private:
  struct Nodes {
    std::vector<LiveEndpoint> publishers;
    std::vector<LiveEndpoint> subscribers;
  };
  using Topics = std::map<std::string, Nodes>;

  bool put(const std::vector<ConnectionGraphUpdate::Topic>& topics,
           std::vector<LiveEndpoint> Nodes::*side);
  void remove(Topics::iterator place);

  std::size_t most_bytes_;
  mutable std::mutex mutex_;
  Topics topics_;
  std::size_t bytes_ = 0;
};

}  // namespace kitbag::foxglove
