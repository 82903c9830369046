#include <ros/ros.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <vector>

#include "kitbag/error.h"
#include "kitbag/session.h"
#include "transport/ros1/master.h"
#include "transport/ros1/node.h"
#include "transport/ros1/services.h"
#include "transport/ros1/transport.h"

// roscpp serializes by templates, at compile time. Raw is a message type whose serializer copies
// the payload, and whose traits say "*" for everything; the real type, MD5 sum and definition are
// given to advertise() at run time. So any type of a bag can be published without its generated
// code.
//
// ROS 1 confirms nothing. That subscribers have connected, and that roscpp has sent everything at
// the end, can only be waited for. Queues have no limit, as roscpp does not say what it drops; a
// slow subscriber costs memory instead of messages.

namespace kitbag::ros1 {

namespace {

/// A payload as it is.
struct Raw {
  ByteView data;
};

}  // namespace

}  // namespace kitbag::ros1

namespace ros {

namespace message_traits {

template <>
struct IsMessage<kitbag::ros1::Raw> : TrueType {};
template <>
struct MD5Sum<kitbag::ros1::Raw> {
  static const char* value(const kitbag::ros1::Raw&) { return "*"; }
  static const char* value() { return "*"; }
};
template <>
struct DataType<kitbag::ros1::Raw> {
  static const char* value(const kitbag::ros1::Raw&) { return "*"; }
  static const char* value() { return "*"; }
};
template <>
struct Definition<kitbag::ros1::Raw> {
  static const char* value(const kitbag::ros1::Raw&) { return ""; }
};

}  // namespace message_traits

namespace serialization {

template <>
struct Serializer<kitbag::ros1::Raw> {
  template <class Stream>
  static void write(Stream& stream, const kitbag::ros1::Raw& raw) {
    auto size = static_cast<std::uint32_t>(raw.data.size());
    if (size > 0) std::memcpy(stream.advance(size), raw.data.data(), size);
  }
  static std::uint32_t serializedLength(const kitbag::ros1::Raw& raw) {
    return static_cast<std::uint32_t>(raw.data.size());
  }
};

}  // namespace serialization

}  // namespace ros

namespace kitbag::ros1 {

namespace {

/// Subscribers hear of a new topic from the master, and connect: what is sent before is lost on
/// them, unless it is latched. rosbag waits as long.
constexpr Duration kConnect = std::chrono::milliseconds(200);
/// roscpp sends on a thread of its own, and does not report when it is done.
constexpr Duration kSend = std::chrono::milliseconds(500);
constexpr Duration kLook = std::chrono::milliseconds(20);
constexpr std::size_t kMostBytes = UINT32_MAX / 2;

class Ros1Publisher final : public Publisher {
 public:
  Ros1Publisher(const Settings& settings, Publication how, const Session& session)
      : node_(node_of(settings)), how_(std::move(how)), session_(session) {}
  ~Ros1Publisher() override { leave(); }

  bool await_subscribers(const Wait& wait) override {
    auto has_all = [this] {
      return std::all_of(publishers_.begin(), publishers_.end(), [](const auto& publisher) {
        return !publisher || publisher.getNumSubscribers() > 0;
      });
    };
    while (!has_all()) {
      if (wait.stop.stop_requested() || clock_.steady() >= wait.until) return false;
      clock_.sleep({wait.stop, clock_.steady() + kLook});
    }
    return true;
  }

  void write(Batch&& batch) override {
    if (batch.channels && batch.channels != declared_) declare(batch.channels);
    for (const Message& message : std::as_const(batch).messages()) {
      ros::Publisher& publisher = publishers_[message.channel->slot];
      if (!publisher) continue;
      if (message.data.size() > kMostBytes) {
        throw Error(ErrorCode::unsupported, "a message is too large for ROS 1",
                    message.channel->topic);
      }
      publisher.publish(Raw{message.data});
      has_sent_ = true;
    }
  }

  void offer(Player& player) override { services_.emplace(*node_, player_services(player)); }

  void close() override {
    if (has_sent_) clock_.sleep({how_.stop, clock_.steady() + kSend});
    leave();
  }

 private:
  void leave() {
    if (!node_) return;
    leave_master([this] {
      services_.reset();
      publishers_.clear();
      node_.reset();
    });
  }

  void declare(const ChannelsPtr& channels) {
    declared_ = channels;
    bool is_new = false;
    for (std::size_t slot = publishers_.size(); slot < channels->size(); ++slot) {
      const ChannelPtr& channel = (*channels)[slot];
      publishers_.push_back(channel ? publisher_of(*channel, *channels) : ros::Publisher());
      is_new |= static_cast<bool>(publishers_.back());
    }
    if (is_new) clock_.sleep({how_.stop, clock_.steady() + kConnect});
  }

  ros::Publisher publisher_of(const Channel& channel, const Channels& all) {
    if (channel.encoding != "ros1") {
      warn(channel, "ROS 1 does not support the encoding '" + channel.encoding + "'");
      return {};
    }
    auto md5sum = channel.metadata.find("md5sum");
    ros::AdvertiseOptions options;
    options.topic = channel.topic;
    options.queue_size = 0;  // what roscpp drops it drops silently
    options.md5sum = md5sum == channel.metadata.end() ? "*" : md5sum->second;
    options.datatype = channel.type().empty() ? "*" : channel.type();
    options.message_definition = channel.schema ? channel.schema->text : std::string();
    options.has_header = false;
    // A node advertises a topic once, whichever publisher wrote on it.
    options.latch = std::any_of(all.begin(), all.end(), [&](const ChannelPtr& other) {
      return other && other->topic == channel.topic && is_latched(*other);
    });
    auto known = advertised_.find(channel.topic);
    if (known != advertised_.end() && known->second != options.md5sum) {
      warn(channel, "ROS 1 does not support two types on one topic");
      return {};
    }
    advertised_[channel.topic] = options.md5sum;
    auto held = hold_master();
    ros::Publisher publisher = node_->advertise(options);
    if (!publisher) warn(channel, "the topic cannot be advertised");
    return publisher;
  }

  void warn(const Channel& channel, const std::string& what) const {
    if (how_.on_warning) {
      how_.on_warning(
          Error(ErrorCode::unsupported, what + "; the topic is left out", channel.topic));
    }
  }

  std::shared_ptr<ros::NodeHandle> node_;
  Publication how_;
  Session session_;
  Clock& clock_ = *session_.clock();
  ChannelsPtr declared_;
  std::vector<ros::Publisher> publishers_;         ///< by slot
  std::map<std::string, std::string> advertised_;  ///< MD5 sums by topic
  bool has_sent_ = false;
  std::optional<Services> services_;
};

}  // namespace

std::unique_ptr<Publisher> publish(const Location& location, const Publication& how,
                                   const Session& session) {
  return std::make_unique<Ros1Publisher>(Settings::of(location), how, session);
}

}  // namespace kitbag::ros1
