#include "transport/foxglove/graph.h"

#include <algorithm>
#include <iterator>
#include <utility>

// An update has only what has changed. A topic is in it with all nodes of one side, so it replaces
// what was known of that side; a topic of which neither side is left is named as removed. The
// protocol says nothing of types here: nodes belong to a name, and so to each topic of that name.

namespace kitbag::foxglove {
namespace {

/// What an entry takes beside its text, roughly.
constexpr std::size_t kNodeBytes = 128;

std::size_t bytes_of(const std::vector<LiveEndpoint>& nodes) {
  std::size_t bytes = 0;
  for (const LiveEndpoint& each : nodes) bytes += kNodeBytes + each.node.size();
  return bytes;
}

}  // namespace

bool Graph::take(const ConnectionGraphUpdate& update) {
  std::lock_guard lock(mutex_);
  for (const std::string& name : update.removed) {
    if (auto place = topics_.find(name); place != topics_.end()) remove(place);
  }
  bool is_whole = put(update.published, &Nodes::publishers);
  return put(update.subscribed, &Nodes::subscribers) && is_whole;
}

/// With the lock held.
bool Graph::put(const std::vector<ConnectionGraphUpdate::Topic>& topics,
                std::vector<LiveEndpoint> Nodes::*side) {
  bool is_whole = true;
  for (const ConnectionGraphUpdate::Topic& each : topics) {
    auto [place, is_new] = topics_.try_emplace(each.name);
    if (is_new) bytes_ += kNodeBytes + each.name.size();
    std::vector<LiveEndpoint>& nodes = place->second.*side;
    bytes_ -= bytes_of(nodes);
    nodes.clear();
    for (const std::string& node : each.nodes) nodes.push_back({node, {}});
    std::sort(nodes.begin(), nodes.end(),
              [](const LiveEndpoint& a, const LiveEndpoint& b) { return a.node < b.node; });
    bytes_ += bytes_of(nodes);
    bool is_nothing = place->second.publishers.empty() && place->second.subscribers.empty();
    if (bytes_ > most_bytes_) is_whole = false;
    if (is_nothing || bytes_ > most_bytes_) remove(place);
  }
  return is_whole;
}

/// With the lock held.
void Graph::remove(Topics::iterator place) {
  bytes_ -= kNodeBytes + place->first.size() + bytes_of(place->second.publishers) +
            bytes_of(place->second.subscribers);
  topics_.erase(place);
}

void Graph::clear() {
  std::lock_guard lock(mutex_);
  topics_.clear();
  bytes_ = 0;
}

std::vector<LiveTopic> Graph::completed(std::vector<LiveTopic> topics) const {
  std::lock_guard lock(mutex_);
  Topics others = topics_;
  for (LiveTopic& each : topics) {
    auto known = topics_.find(each.topic);
    if (known == topics_.end()) continue;
    each.publishers = known->second.publishers;
    each.subscribers = known->second.subscribers;
    others.erase(each.topic);
  }
  for (auto& [name, nodes] : others) {
    topics.push_back({name, {}, std::move(nodes.publishers), std::move(nodes.subscribers)});
  }
  std::stable_sort(topics.begin(), topics.end(),
                   [](const LiveTopic& a, const LiveTopic& b) { return a.topic < b.topic; });
  return topics;
}

}  // namespace kitbag::foxglove
