#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "kitbag/codec.h"
#include "kitbag/error.h"
#include "kitbag/open.h"
#include "kitbag/session.h"
#include "transport/ros2/names.h"
#include "transport/ros2/participant.h"
#include "transport/ros2/qos.h"
#include "transport/ros2/services/bag_events.h"
#include "transport/ros2/services/bag_services.h"
#include "transport/ros2/services/event_topic.h"
#include "transport/ros2/services/request_sender.h"
#include "transport/ros2/services/service_server.h"
#include "transport/ros2/transport.h"
#include "transport/ros2/type_hashes.h"
#include "transport/ros2/warn.h"

// A topic and type has one writer, however many channels the bag has of it: nodes see one player,
// not each publisher that was once recorded. Its offer is the strictest of all that were recorded,
// so that each subscriber that matched then matches now (merge()).
//
// What is sent before a subscriber has discovered the writer is lost to it. DDS has no event that
// says that everybody has found it, so declare() waits for kConnect once for all new topics of a
// table.
//
// When reliable subscribers are behind, a write waits for up to kMaxBlocking and then times out. It
// is tried again until it succeeds or a stop is requested: the player is held back, nothing is
// dropped.

namespace kitbag::ros2 {

namespace {

/// Subscribers hear of a new publisher, and say that they take its messages: what is sent before is
/// lost on them, unless it is transient_local.
constexpr Duration kConnect = std::chrono::milliseconds(500);
/// How long the end waits for subscribers that have not confirmed everything.
constexpr Duration kConfirm = std::chrono::seconds(5);
constexpr Duration kLook = std::chrono::milliseconds(20);
constexpr Duration kLookForMismatches = std::chrono::milliseconds(500);
/// Larger ones do not fit into DDS.
constexpr std::size_t kMostBytes = UINT32_MAX - 16;

/// Of one channel, or of several on one topic.
struct TopicWriter {
  std::string topic;
  std::string type;
  RawTopic raw;
  Entity entity;
  std::set<std::uint32_t> reported;  ///< policies that did not match
};

/// What becomes of the messages of a channel.
struct Slot {
  const TopicWriter* writer = nullptr;  ///< null: they are not published
  bool is_of_requests = false;
};

class Ros2Publisher final : public Publisher {
 public:
  Ros2Publisher(const Settings& settings, Publication how, const Session& session)
      : settings_(settings),
        how_(std::move(how)),
        session_(session),
        participant_(settings, clock_),
        requests_(settings, how_, participant_, type_hashes_, session) {
    if (!settings.middleware_warning.empty()) {
      warn(how_.on_warning, settings.middleware_warning, settings.uri);
    }
  }

  bool await_subscribers(const Wait& wait) override {
    auto has_all = [this] {
      return requests_.are_reachable() &&
             std::all_of(writers_.begin(), writers_.end(), [](const auto& writer) {
               return dds_get_matched_subscriptions(writer->entity.get(), nullptr, 0) > 0;
             });
    };
    while (!has_all()) {
      if (wait.stop.stop_requested() || clock_.steady() >= wait.until) return false;
      tell_mismatches();
      clock_.sleep({wait.stop, clock_.steady() + kLook});
    }
    return true;
  }

  void write(Batch&& batch) override {
    if (batch.channels && batch.channels != declared_) declare(batch.channels);
    for (const Message& message : std::as_const(batch).messages()) {
      const Slot& slot = by_slot_[message.channel->slot];
      if (slot.writer) send(*slot.writer, message);
      if (slot.is_of_requests) requests_.send(message);
    }
  }

  SteadyTime due() const override { return housekeeping_; }
  void tick(SteadyTime now) override {
    housekeeping_ = now + kLookForMismatches;
    tell_mismatches();
  }

  void offer(Player& player) override {
    if (!player.options().files.empty()) {
      read_split_.emplace(participant_, kReadSplit, kReadSplitType);
    }
    server_.emplace(participant_, node_, player_services(player));
  }
  void tell(const FileChange& change) override {
    if (read_split_) read_split_->tell(split_event(change, node_));
  }

  void close() override {
    // First, because its thread uses the player and the writers.
    server_.reset();
    SteadyTime until = clock_.steady() + kConfirm;
    for (const auto& writer : writers_) {
      while (dds_wait_for_acks(writer->entity.get(), DDS_MSECS(50)) == DDS_RETCODE_TIMEOUT &&
             !how_.stop.stop_requested() && clock_.steady() < until) {
      }
    }
    requests_.confirm(until);
    requests_.report();
    tell_mismatches();
    by_slot_.clear();
    writers_.clear();
  }

 private:
  void declare(const ChannelsPtr& channels) {
    declared_ = channels;
    std::size_t before = writers_.size();
    bool has_clients = false;
    for (std::size_t slot = by_slot_.size(); slot < channels->size(); ++slot) {
      const ChannelPtr& channel = (*channels)[slot];
      bool is_of_requests = channel && requests_.takes(*channel);
      if (is_of_requests) has_clients |= requests_.add(*channel);
      bool is_topic = channel && !is_of_requests;
      by_slot_.push_back({is_topic ? writer_of(*channel, *channels) : nullptr, is_of_requests});
    }
    if (writers_.size() == before && !has_clients) return;
    participant_.announce();
    clock_.sleep({how_.stop, clock_.steady() + kConnect});
  }

  const TopicWriter* writer_of(const Channel& channel, const Channels& all) {
    if (channel.encoding != "cdr") {
      leave_out(channel, "ROS 2 does not support the encoding '" + channel.encoding + "'");
      return nullptr;
    }
    if (channel.type().empty()) {
      leave_out(channel, "the channel has no type, which ROS 2 requires");
      return nullptr;
    }
    bool is_keyed = channel.metadata.contains(kKeyedKey);
    rosbag2::QosProfile profile = profile_of(channel, all);
    bool is_ros = channel.topic.starts_with('/');
    std::string type = is_ros ? dds_type(channel.type()) : channel.type();
    for (const auto& writer : writers_) {
      if (writer->topic == channel.topic && writer->type == type) return writer.get();
    }
    auto writer = std::make_unique<TopicWriter>();
    writer->topic = channel.topic;
    writer->type = type;
    std::string topic = dds_topic(channel.topic, profile.avoid_ros_namespace_conventions);
    writer->raw = RawTopic::make(participant_.get(), topic, type, is_keyed, clock_);
    Qos qos = writer_qos(profile);
    if (is_keyed) dds_qset_history(qos.get(), DDS_HISTORY_KEEP_ALL, DDS_LENGTH_UNLIMITED);
    if (is_ros) set_user_data(qos.get(), endpoint_user_data(type_hash_of(channel)));
    set_representation(qos.get(), channel.metadata.contains(kRepresentationKey));
    writer->entity =
        Entity(dds_create_writer(participant_.get(), writer->raw.entity.get(), qos.get(), nullptr),
               "writer of " + channel.topic);
    participant_.add_writer(writer->entity);
    writers_.push_back(std::move(writer));
    return writers_.back().get();
  }

  /// One publisher speaks for all that there were.
  rosbag2::QosProfile profile_of(const Channel& channel, const Channels& all) const {
    auto wanted = settings_.qos.find(channel.topic);
    if (wanted != settings_.qos.end()) return wanted->second;
    std::vector<rosbag2::QosProfile> offered;
    for (const ChannelPtr& other : all) {
      if (!other || other->topic != channel.topic) continue;
      try {
        auto text = rosbag2::qos_of(*other, rosbag2::QosForm::numbers);
        for (const auto& profile : rosbag2::parse_qos(text)) offered.push_back(profile);
      } catch (const Error& error) {
        warn(how_.on_warning, "its offered_qos_profiles cannot be read: " + error.message(),
             channel.topic);
      }
    }
    return merge(offered);
  }

  std::string type_hash_of(const Channel& channel) {
    auto declared = channel.metadata.find("topic_type_hash");
    if (declared != channel.metadata.end()) return declared->second;
    const Language* language = find_language(session_.registry(), channel.schema->language);
    if (language && language->metadata) {
      try {
        auto metadata = language->metadata(*channel.schema, *language->parse(*channel.schema));
        if (!metadata["topic_type_hash"].empty()) return metadata["topic_type_hash"];
      } catch (const Error&) {
        // Nodes match by the name of the type alone.
      }
    }
    return type_hashes_.of(channel.type());
  }

  void send(const TopicWriter& writer, const Message& message) {
    if (message.data.size() > kMostBytes) {
      throw Error(ErrorCode::unsupported, "a message is too large for DDS", message.channel->topic);
    }
    for (;;) {
      dds_return_t result = write_raw(writer.entity.get(), writer.raw, message.data);
      if (result == DDS_RETCODE_OK) return;
      if (result != DDS_RETCODE_TIMEOUT) require(result, "send on " + writer.topic);
      // A reliable subscriber is behind.
      if (how_.stop.stop_requested()) {
        throw Error(ErrorCode::cancelled, "stopped while waiting for a slow subscriber",
                    writer.topic);
      }
    }
  }

  void tell_mismatches() {
    for (const auto& writer : writers_) {
      dds_offered_incompatible_qos_status_t status{};
      if (dds_get_offered_incompatible_qos_status(writer->entity.get(), &status) !=
              DDS_RETCODE_OK ||
          status.total_count_change == 0 ||
          !writer->reported.insert(status.last_policy_id).second) {
        continue;
      }
      warn(how_.on_warning,
           "a subscriber requests a higher quality of service than is offered: " +
               policy_name(status.last_policy_id) +
               "; it receives no messages; override the topic's quality of service",
           writer->topic);
    }
  }

  void leave_out(const Channel& channel, const std::string& what) const {
    warn(how_.on_warning, what + "; the topic is left out", channel.topic);
  }

  Settings settings_;
  Publication how_;
  Session session_;
  Clock& clock_ = *session_.clock();
  TypeHashes type_hashes_{session_};
  Participant participant_;
  ChannelsPtr declared_;
  std::vector<std::unique_ptr<TopicWriter>> writers_;
  std::vector<Slot> by_slot_;
  RequestSender requests_;
  SteadyTime housekeeping_;
  std::string node_ = "/" + settings_.node;
  std::optional<EventTopic> read_split_;
  std::optional<ServiceServer> server_;  ///< last: its thread uses the rest
};

}  // namespace

std::unique_ptr<Publisher> publish(const Location& location, const Publication& how,
                                   const Session& session) {
  return std::make_unique<Ros2Publisher>(Settings::of(location, environment, "kitbag_player"), how,
                                         session);
}

}  // namespace kitbag::ros2
