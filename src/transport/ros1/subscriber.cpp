#include <ros/callback_queue.h>
#include <ros/master.h>
#include <ros/ros.h>

#include <atomic>
#include <boost/make_shared.hpp>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <thread>
#include <utility>

#include "kitbag/error.h"
#include "kitbag/selector.h"
#include "kitbag/session.h"
#include "transport/ros1/master.h"
#include "transport/ros1/node.h"
#include "transport/ros1/services.h"
#include "transport/ros1/transport.h"

// One thread asks the master for new topics, one takes messages. A message is taken as it comes
// over the wire, in deserialize(), so its bytes are copied once: into the feed. roscpp's queue has
// no limit here, because what it drops it drops silently; the feed's has, and counts.
//
// A subscription to any type is one to the definition of the publisher that connects first. From
// then on it refuses others, also those of a newer definition of the same type, in silence. So a
// topic without a connection is subscribed to again, once for the same publishers. A publisher that
// stays unconnected is reported.

namespace kitbag::ros1 {

namespace {

/// How often the master is asked. roscpp offers no notification.
constexpr Duration kAsk = std::chrono::milliseconds(100);
/// How often the nodes that publish are compared with those that are connected, ...
constexpr Duration kCompare = std::chrono::milliseconds(500);
/// ... and how long a connection may take before it is called missing.
constexpr Duration kConnectionTime = std::chrono::seconds(5);
/// How long a topic may be published and have no connection before it is subscribed to again.
constexpr Duration kSubscribeAgain = std::chrono::seconds(1);

using Taken = std::function<void(const ros::SubscriptionCallbackHelperDeserializeParams&)>;

/// Takes messages of any type.
class TakeRaw final : public ros::SubscriptionCallbackHelper {
 public:
  explicit TakeRaw(Taken taken) : taken_(std::move(taken)) {}

  ros::VoidConstPtr deserialize(
      const ros::SubscriptionCallbackHelperDeserializeParams& message) override {
    taken_(message);
    return {};  // there is nothing left to be called with
  }
  void call(ros::SubscriptionCallbackHelperCallParams&) override {}
  const std::type_info& getTypeInfo() override { return typeid(void); }
  bool isConst() override { return true; }
  bool hasHeader() override { return false; }

 private:
  Taken taken_;
};

std::string take(std::map<std::string, std::string>& header, const std::string& name) {
  auto field = header.extract(name);
  return field.empty() ? std::string() : field.mapped();
}

/// `own` is the name of this node.
std::vector<LiveTopic> topics_of(const SystemState& state, const std::string& own) {
  std::map<std::string, LiveTopic> found;
  auto add = [&](const auto& nodes_by_topic, auto endpoints) {
    for (const auto& [topic, nodes] : nodes_by_topic) {
      for (const std::string& node : nodes) {
        if (node != own) (found[topic].*endpoints).push_back({node, ""});
      }
    }
  };
  add(state.publishers, &LiveTopic::publishers);
  add(state.subscribers, &LiveTopic::subscribers);
  std::vector<LiveTopic> topics;
  topics.reserve(found.size());
  for (auto& [name, topic] : found) {
    topic.topic = name;
    auto type = state.types.find(name);
    if (type != state.types.end() && type->second != "*") topic.type = type->second;
    topics.push_back(std::move(topic));
  }
  return topics;
}

class Ros1Subscriber final : public Subscriber {
 public:
  Ros1Subscriber(const Settings& settings, const Subscription& wanted, Feed& feed,
                 const Session& session)
      : node_(node_of(settings)),
        session_(session),
        feed_(feed),
        on_warning_(wanted.on_warning),
        selector_(wanted.select) {
    for (const ExpectedTopic& expected : wanted.expected) {
      Subscribed& there = subscriptions_[expected.topic];
      there.subscriber = subscriber_to(expected.topic, there.is_heard);
    }
    watcher_ = std::thread([this] { watch(); });
    taker_ = std::thread([this] { take_all(); });
  }
  ~Ros1Subscriber() override {
    stop();
    watcher_.join();
    taker_.join();
    leave_master([this] {
      services_.reset();
      subscriptions_.clear();
      node_.reset();
    });
  }

  void stop() override {
    std::lock_guard lock(mutex_);
    is_stopped_ = true;
    changed_.notify_all();
  }
  std::optional<std::vector<LiveTopic>> topics() const override {
    auto state = system_state(is_stopped_);
    if (!state) return std::nullopt;
    return topics_of(*state, ros::this_node::getName());
  }

  void offer(Recorder& recorder) override {
    auto services = recorder_services(recorder, clock_);
    if (!services.empty()) services_.emplace(*node_, services);
  }

 private:
  struct Subscribed {
    ros::Subscriber subscriber;
    std::string type;  ///< the last that the master has said
    /// Whether a message has ever come.
    std::shared_ptr<std::atomic<bool>> is_heard = std::make_shared<std::atomic<bool>>(false);
    /// Since when it is published and nobody is connected.
    std::optional<SteadyTime> alone_since = {};
    std::vector<std::string> again_for = {};  ///< the publishers when it was subscribed to again
    /// Since when fewer are connected than publish it.
    std::optional<SteadyTime> incomplete_since = {};
    std::vector<std::string> told = {};  ///< the publishers at the last warning
  };

  void watch() {
    std::unique_lock lock(mutex_);
    while (!is_stopped_) {
      lock.unlock();
      subscribe_to_new();
      lock.lock();
      clock_.wait(lock, changed_, {{}, clock_.steady() + kAsk},
                  [this] { return is_stopped_.load(); });
    }
  }

  /// Without the master what is connected goes on, and nothing new is found.
  void subscribe_to_new() {
    auto topics = published_topics(is_stopped_);
    if (is_stopped_) return;
    tell_of_master(topics.has_value());
    if (!topics) return;
    for (const auto& [topic, type] : *topics) {
      if (is_stopped_) return;
      auto [known, is_new] = subscriptions_.try_emplace(topic);
      Subscribed& there = known->second;
      std::string before = type == "*" ? type : std::exchange(there.type, type);
      bool is_other = there.subscriber && !before.empty() && before != type;
      bool is_refused = unregistered_.contains(topic);
      if (!is_new && !is_refused && !is_other) continue;
      if (!selector_.matches(topic, type)) continue;
      if (is_other) tell_of_type(topic, before, type);
      subscribe_to(topic, there);
    }
    compare_publishers();
  }

  void subscribe_to(const std::string& topic, Subscribed& there) {
    // First: while the old one exists, roscpp joins the new one to it, with the type that it has.
    there.subscriber = ros::Subscriber();
    there.subscriber = subscriber_to(topic, there.is_heard);
    if (there.subscriber) {
      unregistered_.erase(topic);
    } else {  // the master went just now
      unregistered_.insert(topic);
    }
  }

  void compare_publishers() {
    SteadyTime now = clock_.steady();
    if (now < compare_at_ || is_stopped_) return;
    compare_at_ = now + kCompare;
    auto state = system_state(is_stopped_);
    if (!state) return;
    auto connections = connections_by_topic(is_stopped_);
    if (!connections) return;
    for (auto& [topic, there] : subscriptions_) {
      if (!there.subscriber) continue;
      std::vector<std::string> nodes = state->publishers[topic];
      std::erase(nodes, ros::this_node::getName());
      std::size_t connected = (*connections)[topic];
      subscribe_again_if_alone(topic, there, nodes, connected);
      tell_if_incomplete(topic, there, nodes, connected);
    }
  }

  void subscribe_again_if_alone(const std::string& topic, Subscribed& there,
                                const std::vector<std::string>& nodes, std::size_t connected) {
    if (connected > 0 || nodes.empty()) {
      there.alone_since.reset();
      there.again_for.clear();
      return;
    }
    if (nodes == there.again_for) return;
    SteadyTime now = clock_.steady();
    if (!there.alone_since) there.alone_since = now;
    if (now - *there.alone_since < kSubscribeAgain) return;
    there.again_for = nodes;
    there.alone_since.reset();
    if (*there.is_heard) tell_of_second_try(topic);
    subscribe_to(topic, there);
  }

  /// roscpp does not say which publishers are not connected.
  void tell_if_incomplete(const std::string& topic, Subscribed& there,
                          const std::vector<std::string>& nodes, std::size_t connected) {
    SteadyTime now = clock_.steady();
    if (connected >= nodes.size()) {
      there.incomplete_since.reset();
      there.told.clear();
      return;
    }
    if (!there.incomplete_since) there.incomplete_since = now;
    if (now - *there.incomplete_since < kConnectionTime || there.told == nodes) return;
    there.told = nodes;
    if (on_warning_) on_warning_(Error(ErrorCode::unsupported, missing(nodes, connected), topic));
  }

  static std::string missing(const std::vector<std::string>& nodes, std::size_t connected) {
    std::string names;
    for (const std::string& node : nodes) names += (names.empty() ? "" : ", ") + node;
    return "only " + std::to_string(connected) + " of " + std::to_string(nodes.size()) +
           " publishers (" + names +
           ") can be recorded; the others send another definition of the type, or cannot be "
           "reached";
  }

  void tell_of_second_try(const std::string& topic) {
    if (!on_warning_) return;
    on_warning_(
        Error(ErrorCode::unsupported,
              "no publisher is connected, perhaps because one sends a new definition of the "
              "type; kitbag subscribes again, and the first messages may be missing",
              topic));
  }

  /// The subscription is replaced, as it would refuse the new type.
  void tell_of_type(const std::string& topic, const std::string& before, const std::string& now) {
    if (!on_warning_) return;
    on_warning_(Error(ErrorCode::unsupported,
                      "the type has changed from " + before + " to " + now +
                          "; messages of publishers that still send the old one are not recorded",
                      topic));
  }

  /// Once each time that it goes or comes back.
  void tell_of_master(bool is_there) {
    if (std::exchange(has_master_, is_there) == is_there || !on_warning_) return;
    std::string master =
        "http://" + ros::master::getHost() + ":" + std::to_string(ros::master::getPort());
    on_warning_(Error(ErrorCode::not_found,
                      is_there ? "the ROS master at " + master + " is running again"
                               : "the ROS master at " + master +
                                     " does not respond; connected publishers are still recorded, "
                                     "but new topics and publishers are not found"));
  }

  ros::Subscriber subscriber_to(const std::string& topic,
                                const std::shared_ptr<std::atomic<bool>>& is_heard) {
    ros::SubscribeOptions options;
    options.topic = topic;
    options.queue_size = 0;
    options.md5sum = "*";
    options.datatype = "*";
    options.callback_queue = &queue_;
    options.transport_hints = ros::TransportHints().tcpNoDelay();
    options.helper = boost::make_shared<TakeRaw>(
        [this, topic, is_heard](const ros::SubscriptionCallbackHelperDeserializeParams& message) {
          is_heard->store(true, std::memory_order_relaxed);
          push(topic, message);
        });
    auto held = hold_master();
    return node_->subscribe(options);
  }

  void push(const std::string& topic, const ros::SubscriptionCallbackHelperDeserializeParams& raw) {
    const Channel* channel = channel_of(topic, raw.connection_header);
    Message message{};
    message.channel = channel;
    message.log_time = clock_.wall();
    message.publish_time = message.log_time;
    message.data = {reinterpret_cast<const std::byte*>(raw.buffer), raw.length};
    feed_.push(message);
  }

  /// A connection is known by its header, which roscpp keeps while it lasts.
  const Channel* channel_of(const std::string& topic,
                            const boost::shared_ptr<ros::M_string>& header) {
    auto& [kept, channel] = connections_[header.get()];
    if (!kept) {
      kept = header;
      channel = add(topic, *header);
    }
    return channel;
  }

  const Channel* add(const std::string& topic, std::map<std::string, std::string> header) {
    Channel channel;
    channel.topic = topic;
    channel.encoding = "ros1";
    std::string type = take(header, "type");
    std::string definition = take(header, "message_definition");
    channel.schema = std::make_shared<const Schema>(Schema{type, "ros1msg", definition});
    take(header, "topic");
    channel.metadata = std::move(header);
    for (const ChannelPtr& known : *feed_.channels()) {  // a publisher that came again
      if (same_content(*known, channel)) return known.get();
    }
    return feed_.add(std::move(channel)).get();
  }

  void take_all() {
    try {
      while (!is_stopped_) queue_.callAvailable(ros::WallDuration(0.05));
      queue_.callAvailable(ros::WallDuration(0));
      feed_.close();
    } catch (...) {
      feed_.fail(std::current_exception());
    }
  }

  std::shared_ptr<ros::NodeHandle> node_;
  Session session_;
  Clock& clock_ = *session_.clock();
  Feed& feed_;
  OnWarning on_warning_;
  Selector selector_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::atomic<bool> is_stopped_ = false;
  ros::CallbackQueue queue_;
  std::map<std::string, Subscribed> subscriptions_;  ///< by topic; the watcher's
  std::set<std::string> unregistered_;  ///< wanted topics that the master did not register
  bool has_master_ = true;
  SteadyTime compare_at_ = {};
  /// The taker's; the headers are kept, so that no other gets their address.
  std::map<const void*, std::pair<boost::shared_ptr<ros::M_string>, const Channel*>> connections_;
  std::optional<Services> services_;
  std::thread watcher_;
  std::thread taker_;
};

}  // namespace

std::unique_ptr<Subscriber> subscribe(const Location& location, const Subscription& wanted,
                                      Feed& feed, const Session& session) {
  return std::make_unique<Ros1Subscriber>(Settings::of(location), wanted, feed, session);
}

}  // namespace kitbag::ros1
