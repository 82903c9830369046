#include <fmt/format.h>
#include <ros/connection_manager.h>
#include <ros/ros.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "kitbag/error.h"
#include "kitbag/session.h"
#include "transport/ros1/master.h"
#include "transport/ros1/node.h"
#include "transport/ros1/outbox.h"
#include "transport/ros1/services.h"
#include "transport/ros1/transport.h"

// roscpp serializes by templates, at compile time. Raw is a message type whose serializer copies
// the payload, and whose traits say "*" for everything; the real type, MD5 sum and definition are
// given to advertise() at run time. So any type of a bag can be published without its generated
// code.
//
// ROS 1 confirms nothing: that subscribers have connected can only be waited for, and roscpp does
// not report what it drops from queues that are full, so its queues have no limit. Outbox sets one:
// the buffer of a message reports when roscpp frees it, which is when the last subscriber's socket
// has taken it. A slow subscriber slows down the player, as in the other transports.

namespace kitbag::ros1 {

namespace {

/// A payload as it is.
struct Raw {
  ByteView data;
  std::shared_ptr<Outbox> outbox;
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

/// The buffer of the message is counted as long as it lives.
template <>
SerializedMessage serializeMessage(const kitbag::ros1::Raw& raw) {
  std::size_t size = raw.data.size();
  SerializedMessage message;
  message.num_bytes = size + sizeof(std::uint32_t);
  message.buf.reset(new std::uint8_t[message.num_bytes], [outbox = raw.outbox, size](auto* bytes) {
    delete[] bytes;
    outbox->remove(size);
  });
  raw.outbox->add(size);
  OStream stream(message.buf.get(), static_cast<std::uint32_t>(message.num_bytes));
  serialize(stream, static_cast<std::uint32_t>(size));
  message.message_start = stream.getData();
  serialize(stream, raw);
  return message;
}

}  // namespace serialization

}  // namespace ros

namespace kitbag::ros1 {

namespace {

/// Subscribers hear of a new topic from the master, and connect: what is sent before is lost on
/// them, unless it is latched. rosbag waits as long.
constexpr Duration kConnect = std::chrono::milliseconds(200);
/// How long subscribers have at the end for what their systems hold for them. They drop it when the
/// publisher leaves the master.
constexpr Duration kTake = std::chrono::milliseconds(500);
constexpr Duration kLook = std::chrono::milliseconds(20);
/// How often room in the outbox is looked for.
constexpr Duration kLookForRoom = std::chrono::milliseconds(1);
/// When it has waited so long in all, the player reports what it waits for.
constexpr Duration kReportWait = std::chrono::seconds(1);
/// How long close() waits for subscribers that take nothing.
constexpr Duration kGiveUp = std::chrono::seconds(5);
constexpr std::size_t kMostBytes = UINT32_MAX / 2;

class Ros1Publisher final : public Publisher {
 public:
  Ros1Publisher(const Settings& settings, Publication how, const Session& session)
      : uri_(settings.uri), node_(node_of(settings)), how_(std::move(how)), session_(session) {}
  ~Ros1Publisher() override { leave(); }

  bool await_subscribers(const Wait& wait) override {
    auto has_all = [this] {
      return std::all_of(topics_.begin(), topics_.end(), [](const Topic& topic) {
        return !topic.publisher || topic.publisher.getNumSubscribers() > 0;
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
      Topic& topic = topics_[message.channel->slot];
      if (!topic.publisher) continue;
      if (message.data.size() > kMostBytes) {
        throw Error(ErrorCode::unsupported, "a message is too large for ROS 1",
                    message.channel->topic);
      }
      await_room(message);
      if (topic.publisher.isLatched()) {
        outbox_->keep(message.data.size(), topic.kept_bytes, !topic.keeps_one);
        topic.keeps_one = true;
        topic.kept_bytes = message.data.size();
      }
      topic.publisher.publish(Raw{message.data, outbox_});
      has_sent_ = true;
    }
  }

  void offer(Player& player) override { services_.emplace(*node_, player_services(player)); }

  void close() override {
    if (!node_) return;
    std::int64_t left = has_sent_ ? await_sent() : 0;
    leave();
    if (left == 0) return;
    throw Error(ErrorCode::io,
                fmt::format("subscribers took nothing for 5 s, and {} lost on one of them",
                            left == 1 ? "a message is" : fmt::format("{} messages are", left)),
                uri_);
  }

 private:
  /// A topic of a channel.
  struct Topic {
    ros::Publisher publisher;  ///< empty: it is left out
    bool keeps_one = false;    ///< its last message, because it is latched
    std::size_t kept_bytes = 0;
  };

  void await_room(const Message& message) {
    if (outbox_->has_room(message.data.size())) return;
    SteadyTime begin = clock_.steady();
    while (!outbox_->has_room(message.data.size())) {
      if (how_.stop.stop_requested()) {
        throw Error(ErrorCode::cancelled, "stopped while waiting for a subscriber", uri_);
      }
      SteadyTime now = clock_.steady();
      if (waited_ + (now - begin) >= kReportWait) report_slow();
      clock_.sleep({how_.stop, now + kLookForRoom});
    }
    waited_ += clock_.steady() - begin;
  }

  void report_slow() {
    if (!how_.on_warning || std::exchange(has_reported_, true)) return;
    how_.on_warning(Error(ErrorCode::io, "a subscriber is too slow; kitbag waits for it", uri_));
  }

  /// Waits until subscribers have everything. Returns how many messages one of them did not take in
  /// time; 0 too after a stop.
  std::int64_t await_sent() {
    unsigned port = ros::ConnectionManager::instance()->getTCPPort();
    SteadyTime moved_at = clock_.steady();
    for (std::pair<std::uint64_t, std::uint64_t> last; !how_.stop.stop_requested();) {
      std::pair state(outbox_->freed(), unconfirmed_bytes(port));
      std::int64_t left = std::max<std::int64_t>(outbox_->messages(), state.second > 0 ? 1 : 0);
      if (left == 0) {
        clock_.sleep({how_.stop, clock_.steady() + kTake});
        return 0;
      }
      SteadyTime now = clock_.steady();
      if (std::exchange(last, state) != state) moved_at = now;
      if (now - moved_at >= kGiveUp) return left;
      clock_.sleep({how_.stop, now + kLook});
    }
    return 0;
  }

  void leave() {
    if (!node_) return;
    leave_master([this] {
      services_.reset();
      topics_.clear();
      node_.reset();
    });
  }

  void declare(const ChannelsPtr& channels) {
    declared_ = channels;
    bool is_new = false;
    for (std::size_t slot = topics_.size(); slot < channels->size(); ++slot) {
      const ChannelPtr& channel = (*channels)[slot];
      topics_.push_back({channel ? publisher_of(*channel, *channels) : ros::Publisher()});
      is_new |= static_cast<bool>(topics_.back().publisher);
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

  std::string uri_;
  std::shared_ptr<ros::NodeHandle> node_;
  Publication how_;
  Session session_;
  Clock& clock_ = *session_.clock();
  ChannelsPtr declared_;
  std::vector<Topic> topics_;                      ///< by slot
  std::map<std::string, std::string> advertised_;  ///< MD5 sums by topic
  std::shared_ptr<Outbox> outbox_ = std::make_shared<Outbox>();
  bool has_sent_ = false;
  Duration waited_{};          ///< for room
  bool has_reported_ = false;  ///< that a subscriber is slow
  std::optional<Services> services_;
};

}  // namespace

std::unique_ptr<Publisher> publish(const Location& location, const Publication& how,
                                   const Session& session) {
  return std::make_unique<Ros1Publisher>(Settings::of(location), how, session);
}

}  // namespace kitbag::ros1
