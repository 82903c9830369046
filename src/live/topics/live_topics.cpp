#include "kitbag/live_topics.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "kitbag/error.h"
#include "kitbag/open.h"
#include "kitbag/registry.h"

// To look at a system is to listen to it. Without messages, the subscription leaves out every topic
// by name; the transport connects and discovers as for a recorder, and receives nothing. So what is
// listed is what a recorder would find.

namespace kitbag {

namespace {

/// Where all participants together tell what they have.
constexpr Duration kSettling = std::chrono::milliseconds(1500);
/// No messages need no room.
constexpr std::size_t kLeastBuffer = std::size_t{64} << 10;

Selection nothing() {
  Selection select;
  select.exclude = {"*"};
  return select;
}

using Names = std::pair<std::string, std::string>;  // topic and type

}  // namespace

struct LiveTopics::State {
  State(const std::string& address, const LiveTopicsOptions& options, const Session& session)
      : uri(without_parameters(address)),
        clock(session.clock()),
        measures(options.measures),
        selector(options.select),
        meter(options.periods) {
    Subscription wanted;
    wanted.select = measures ? options.select : nothing();
    wanted.on_warning = options.on_warning;
    FeedOptions feed = options.feed;
    if (!measures) feed.bytes = kLeastBuffer;
    source = session.listen(address, wanted, feed);
  }

  /// Adds counts by slot to those of the topics.
  void add(const std::vector<std::uint64_t>& counts, std::uint64_t WatchedTopic::*to,
           std::map<Names, WatchedTopic>& found) const {
    ChannelsPtr channels = source->channels();
    for (std::size_t slot = 0; slot < std::min(counts.size(), channels->size()); ++slot) {
      const ChannelPtr& channel = (*channels)[slot];
      if (!channel || counts[slot] == 0) continue;
      WatchedTopic& topic = found[{channel->topic, channel->type()}];
      topic.*to += counts[slot];
    }
  }

  std::string uri;
  ClockPtr clock;
  bool measures;
  Selector selector;
  RateMeter meter;
  std::unique_ptr<LiveSource> source;
};

LiveTopics::LiveTopics(const std::string& uri, const LiveTopicsOptions& options,
                       const Session& session)
    : state_(std::make_unique<State>(uri, options, session)) {}
LiveTopics::~LiveTopics() = default;

bool LiveTopics::look(const Wait& wait) {
  Batch batch;
  do {
    batch.clear();
    if (!state_->source->read(batch, wait)) return false;
    if (state_->measures) state_->meter.add(batch);
  } while (!wait.stop.stop_requested() && state_->clock->steady() < wait.until);
  return true;
}

void LiveTopics::begin_period() {
  state_->meter.begin_period();
}

std::vector<WatchedTopic> LiveTopics::topics() const {
  auto listed = state_->source->topics();
  if (!listed && !state_->measures) {
    throw Error(ErrorCode::io, "the system does not say which topics it has", state_->uri);
  }
  std::map<Names, WatchedTopic> found;
  for (LiveTopic& each : listed.value_or(std::vector<LiveTopic>())) {
    if (!state_->selector.matches(each.topic, each.type)) continue;
    static_cast<LiveTopic&>(found[{each.topic, each.type}]) = std::move(each);
  }
  for (TopicRates& rates : state_->meter.rates()) {
    found[{rates.topic, rates.type}].rates = std::move(rates);
  }
  state_->add(state_->source->dropped(), &WatchedTopic::dropped, found);
  state_->add(state_->source->lost(), &WatchedTopic::lost, found);
  std::vector<WatchedTopic> all;
  all.reserve(found.size());
  for (auto& [names, topic] : found) {
    topic.topic = names.first;
    topic.type = names.second;
    topic.conflicts = qos_conflicts(topic);
    all.push_back(std::move(topic));
  }
  return all;
}

Duration settling_time(const std::string& uri) {
  // A ROS master has a list of all topics, and a demo has always the same.
  bool is_asked = uri.starts_with("ros1://") || uri.starts_with("demo://");
  return is_asked ? Duration::zero() : kSettling;
}

std::vector<std::string> usual_systems(const Session& session) {
  std::vector<std::string> schemes = session.transport_schemes();
  std::vector<std::string> uris;
  for (std::string_view scheme : {"ros1", "ros2"}) {
    bool is_there = std::find(schemes.begin(), schemes.end(), scheme) != schemes.end();
    if (is_there) uris.push_back(std::string(scheme) + "://");
  }
  return uris;
}

}  // namespace kitbag
