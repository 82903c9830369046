#include "transport/foxglove/receiver.h"

#include <fmt/format.h>

#include <utility>

#include "kitbag/error.h"

// kitbag's own numbers of subscriptions are not used twice within a connection. So a message that
// was on its way while its channel was withdrawn is recognized and dropped silently, and only one
// with a number that never was counts as a fault.
//
// A server may advertise a channel's number again with another meaning; then the old subscription
// is ended and a new one begun. Channels of the bag do not go away when a server withdraws them: it
// may advertise the same content again, which then continues the same channel.

namespace kitbag::foxglove {

Receiver::Receiver(const Subscription& wanted, std::string from, bool keeps_time,
                   const Session& session, Feed& feed, const ReceiverLimits& limits)
    : selector_(wanted.select),
      on_warning_(wanted.on_warning),
      from_(std::move(from)),
      keeps_time_(keeps_time),
      session_(session),
      feed_(feed),
      limits_(limits),
      book_(limits.channels),
      graph_(limits.channels.bytes) {}

void Receiver::begin() {
  offered_.clear();
  topics_.clear();
  graph_.clear();
  subscribed_.clear();
  last_subscription_ = 0;
}

void Receiver::take_text(std::string_view json, const Send& send) {
  Text text;
  try {
    text = parse_text(json);
  } catch (const Error& error) {
    return leave_out(malformed, error.message());
  }
  if (const auto* advertise = std::get_if<Advertise>(&text)) {
    take(*advertise, send);
  } else if (const auto* unadvertise = std::get_if<Unadvertise>(&text)) {
    take(*unadvertise);
  } else if (const auto* status = std::get_if<Status>(&text)) {
    take(*status);
  } else if (const auto* info = std::get_if<ServerInfo>(&text)) {
    if (info->can("connectionGraph")) send(to_json(SubscribeConnectionGraph{}));
  } else if (const auto* update = std::get_if<ConnectionGraphUpdate>(&text)) {
    if (!graph_.take(*update)) {
      leave_out(no_room, "the nodes of all topics have more names than 64 MiB");
    }
  }
}

void Receiver::take_frame(ByteView bytes) {
  ServerFrame frame;
  try {
    frame = parse_server_frame(bytes);
  } catch (const Error& error) {
    return leave_out(malformed, error.message());
  }
  if (const auto* message = std::get_if<MessageData>(&frame)) {
    push(*message);
  } else if (const auto* state = std::get_if<PlaybackState>(&frame)) {
    has_ended_ = state->status == PlaybackState::Status::ended;
  }
}

void Receiver::take(const Advertise& text, const Send& send) {
  Subscribe subscribe;
  for (const AdvertisedChannel& each : text.channels) {
    const Known* channel = known(each.channel);
    if (!channel) continue;
    auto [place, is_new] = offered_.try_emplace(each.id);
    Offered& offered = place->second;
    if (!is_new && offered.known == channel) continue;
    if (offered.known) topics_.remove(offered.known->content);
    topics_.add(channel->content);
    if (offered.subscription != 0) {  // the number has another meaning now
      subscribed_.erase(offered.subscription);
      send(to_json(Unsubscribe{{offered.subscription}}));
    }
    offered = {channel, 0};
    if (!channel->pushed) continue;
    offered.subscription = ++last_subscription_;
    subscribed_[offered.subscription] = channel->pushed;
    subscribe.subscriptions.push_back({offered.subscription, each.id});
  }
  if (!subscribe.subscriptions.empty()) send(to_json(subscribe));
}

void Receiver::take(const Unadvertise& text) {
  for (std::uint64_t id : text.ids) {
    auto place = offered_.find(id);
    if (place == offered_.end()) continue;
    subscribed_.erase(place->second.subscription);
    topics_.remove(place->second.known->content);
    offered_.erase(place);
  }
}

void Receiver::take(const Status& status) {
  if (status.level <= 0 || ++statuses_ > limits_.statuses) return;
  warn("the server says: " + status.message);
}

/// The channel with that content. Null: there is no room for another one.
const Receiver::Known* Receiver::known(const Channel& content) {
  framing::Header header;
  header.encoding = content.encoding;
  if (content.schema) header.schema = *content.schema;
  Known* channel = book_.find_or_add(content.topic, header);
  if (!channel) {
    leave_out(no_room,
              "there are too many channels; the limit is 30,000, with 64 MiB of definitions");
    return nullptr;
  }
  bool is_new = std::exchange(channel->is_new, false);
  if (is_new && selector_.matches(content)) channel->pushed = feed_.add(channel->content).get();
  return channel;
}

void Receiver::push(const MessageData& data) {
  auto place = subscribed_.find(data.subscription);
  if (place == subscribed_.end()) {
    bool has_been = data.subscription != 0 && data.subscription <= last_subscription_;
    if (!has_been) leave_out(unknown_subscription, "its subscription does not exist");
    return;
  }
  Message message{};
  message.channel = place->second;
  message.log_time = keeps_time_ ? data.log_time : session_.clock()->wall();
  message.publish_time = data.log_time;
  message.data = data.payload;
  feed_.push(message);
}

void Receiver::leave_out(Fault fault, const std::string& what) {
  if (left_out_[fault]++ == 0) {
    warn(fmt::format("a message was left out: {}; further ones are counted", what));
  }
}

void Receiver::finish() {
  std::uint64_t all = 0;
  for (std::uint64_t count : left_out_) all += count;
  if (all > 1) {
    warn(fmt::format(
        "{} messages were left out: {} malformed, {} of unknown subscriptions, {} "
        "channels too many",
        all, left_out_[malformed], left_out_[unknown_subscription], left_out_[no_room]));
  }
}

void Receiver::warn(const std::string& what) {
  if (on_warning_) on_warning_(Error(ErrorCode::corrupt, what, from_));
}

}  // namespace kitbag::foxglove
