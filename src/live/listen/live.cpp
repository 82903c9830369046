#include "kitbag/live.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <thread>
#include <utility>

#include "kitbag/error.h"
#include "kitbag/open.h"
#include "kitbag/pipeline.h"
#include "kitbag/session.h"
#include "open/open_transport.h"

// Two kinds of source become one. A transport that pushes gets a feed, and its threads fill it. A
// transport that only has bags (demo://) is read on a thread here and paced by the clock; its
// messages go through a feed too, so that buffers, counts of dropped messages and the end are the
// same.
//
// What happens when the feed is full depends on the transport, if the caller does not say: one that
// can make its senders wait does so, any other drops the oldest messages.

namespace kitbag {
namespace {

/// How long it happens, and no longer than anybody waits.
Duration duration_of(const Summary& summary) {
  constexpr Duration kMost = std::chrono::hours(24 * 365);
  return std::clamp(saturating_difference(summary.start, summary.end), Duration::zero(), kMost);
}

/// The topics of a bag, sorted, each published by the node that its channel names.
std::vector<LiveTopic> topics_of(const Bag& bag) {
  std::map<std::pair<std::string, std::string>, LiveTopic> found;
  for (const ChannelPtr& channel : *bag.channels()) {
    if (!channel) continue;
    LiveTopic& topic = found[{channel->topic, channel->type()}];
    topic.topic = channel->topic;
    topic.type = channel->type();
    auto node = channel->metadata.find("callerid");
    if (node != channel->metadata.end()) topic.publishers.push_back({node->second, ""});
  }
  std::vector<LiveTopic> topics;
  topics.reserve(found.size());
  for (auto& [names, topic] : found) topics.push_back(std::move(topic));
  return topics;
}

/// A bag that happens now.
class PlayedBag final : public LiveSource {
 public:
  PlayedBag(const Bag& bag, const Query& query, const FeedOptions& options, OnFull on_full,
            const ClockPtr& clock)
      : clock_(clock),
        until_(clock->steady() + duration_of(bag.summary())),
        topics_(topics_of(bag)),
        feed_(options.bytes, on_full, clock),
        source_(pace(bag.read(query), clock)) {
    declare(*source_->channels());
    player_ = std::jthread([this](const std::stop_token& stop) { play(stop); });
  }
  ~PlayedBag() override {
    stop();
    feed_.abandon();
  }

  ChannelsPtr channels() const override { return feed_.channels(); }
  bool read(Batch& batch, const Wait& wait) override { return feed_.read(batch, wait); }
  void stop() override { player_.request_stop(); }
  void abandon() override { feed_.abandon(); }
  std::vector<std::uint64_t> dropped() const override { return feed_.dropped(); }
  std::vector<std::uint64_t> lost() const override { return feed_.lost(); }
  std::size_t held_bytes() const override { return feed_.held_bytes(); }
  std::optional<std::vector<LiveTopic>> topics() const override { return topics_; }

 private:
  void declare(const Channels& channels) {
    for (std::size_t slot = own_.size(); slot < channels.size(); ++slot) {
      own_.push_back(channels[slot] ? feed_.add(*channels[slot]) : nullptr);
    }
  }

  void play(const std::stop_token& stop) {
    try {
      while (!stop.stop_requested()) {
        auto batch = std::make_shared<Batch>();
        if (!source_->read(*batch, {stop, kNever})) break;
        if (batch->channels) declare(*batch->channels);
        for (Message message : batch->messages()) {
          message.channel = own_[message.channel->slot].get();
          feed_.push(message, batch);
        }
      }
      // Who selects nothing of it listens until it has ended all the same.
      if (feed_.channels()->empty()) clock_->sleep({stop, until_});
      feed_.close();
    } catch (...) {
      feed_.fail(std::current_exception());
    }
  }

  ClockPtr clock_;
  SteadyTime until_;  ///< what happens without messages goes on
  std::vector<LiveTopic> topics_;
  Feed feed_;
  std::unique_ptr<Source> source_;
  Channels own_;         ///< the feed's, by the source's slots
  std::jthread player_;  ///< last: it ends before the rest is gone
};

/// A system whose messages come when they come.
class SubscribedSource final : public LiveSource {
 public:
  SubscribedSource(const Transport& transport, const Location& location, const Subscription& wanted,
                   const FeedOptions& options, OnFull on_full, const Session& session)
      : feed_(options.bytes, on_full, session.clock()),
        subscriber_(transport.subscribe(location, wanted, feed_, session)) {}
  ~SubscribedSource() override { feed_.abandon(); }

  ChannelsPtr channels() const override { return feed_.channels(); }
  bool read(Batch& batch, const Wait& wait) override { return feed_.read(batch, wait); }
  void stop() override { subscriber_->stop(); }
  void abandon() override { feed_.abandon(); }
  std::vector<std::uint64_t> dropped() const override { return feed_.dropped(); }
  std::vector<std::uint64_t> lost() const override { return feed_.lost(); }
  std::size_t held_bytes() const override { return feed_.held_bytes(); }
  std::optional<std::vector<LiveTopic>> topics() const override { return subscriber_->topics(); }
  void offer(Recorder& recorder) override { subscriber_->offer(recorder); }
  void tell(const FileChange& change) override { subscriber_->tell(change); }

 private:
  Feed feed_;
  std::unique_ptr<Subscriber> subscriber_;  ///< last: it ends before its feed
};

std::pair<const Transport*, Location> find(const std::string& uri, const Session& session) {
  auto location = location_of(uri);
  const Transport* transport = location ? session.find_transport(location->scheme) : nullptr;
  if (!transport) {
    std::string what = location ? fmt::format("unknown transport scheme \"{}\"", location->scheme)
                                : std::string("expected a URI with a transport scheme");
    throw Error(
        ErrorCode::invalid,
        fmt::format("{}; supported: {}", what, fmt::join(session.transport_schemes(), ", ")), uri);
  }
  return {transport, std::move(*location)};
}

}  // namespace

std::unique_ptr<LiveSource> Session::listen(const std::string& uri, const Subscription& wanted,
                                            const FeedOptions& options) const {
  auto [transport, location] = find(uri, *this);
  bool holds_back = transport->holds_back && transport->holds_back(location);
  OnFull on_full = options.on_full.value_or(holds_back ? OnFull::block : OnFull::drop_oldest);
  if (transport->subscribe) {
    return std::make_unique<SubscribedSource>(*transport, location, wanted, options, on_full,
                                              *this);
  }
  Query query;
  query.select = wanted.select;
  BagPtr bag = open_transport(*transport, location, *this);
  return std::make_unique<PlayedBag>(*bag, query, options, on_full, clock());
}

std::unique_ptr<Publisher> Session::publish(const std::string& uri, const Publication& how) const {
  auto [transport, location] = find(uri, *this);
  if (!transport->publish) {
    throw Error(ErrorCode::invalid,
                "messages can only be recorded from this transport, not sent to it", uri);
  }
  return transport->publish(location, how, *this);
}

std::vector<std::string_view> Session::encodings_of(const std::string& uri) const {
  return find(uri, *this).first->encodings;
}

}  // namespace kitbag
