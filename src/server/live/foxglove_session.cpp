#include "server/live/foxglove_session.h"

#include <fmt/format.h>

#include <utility>

#include "kitbag/error.h"

// deliver() runs on the threads of sources, while the client subscribes on its own, so
// subscriptions are behind a mutex. It is released before a callback or a send. A channel can be
// subscribed to once: the id of the subscription stands in each message, and one message would have
// to be sent for each.
//
// Advertisements are split by the size of their definitions: a bag may have thousands of channels,
// and receivers limit the size of a text (kitbag to 16 MiB).

namespace kitbag::server {
namespace {

/// A client that sends nonsense without end must not fill its own queue with answers.
constexpr std::size_t kMostComplaints = 20;
constexpr std::size_t kAdvertiseBytes = 1 << 20;
constexpr const char* kNotAccepted = "messages of clients are not accepted";

}  // namespace

void FoxgloveSession::on_open(WebSocketSenderPtr sender) {
  sender_ = std::move(sender);
  begin();
}

void FoxgloveSession::on_text(std::string_view json) {
  try {
    foxglove::Text text = foxglove::parse_text(json);
    if (const auto* wanted = std::get_if<foxglove::Subscribe>(&text)) {
      subscribe(*wanted);
    } else if (const auto* unwanted = std::get_if<foxglove::Unsubscribe>(&text)) {
      unsubscribe(*unwanted);
    } else if (const auto* offered = std::get_if<foxglove::Advertise>(&text)) {
      advertised(*offered);
    } else if (const auto* gone = std::get_if<foxglove::Unadvertise>(&text)) {
      unadvertised(*gone);
    } else if (const auto* other = std::get_if<foxglove::OtherText>(&text)) {
      complain(fmt::format("\"{}\" is not supported", other->op.substr(0, 100)));
    } else {
      complain("this is not for clients to send");
    }
  } catch (const Error& error) {
    complain(error.message());
  }
}

void FoxgloveSession::on_binary(ByteView bytes) {
  try {
    foxglove::ClientFrame frame = foxglove::parse_client_frame(bytes);
    if (const auto* request = std::get_if<foxglove::PlaybackRequest>(&frame)) {
      requested(*request);
    } else if (const auto* message = std::get_if<foxglove::PublishedData>(&frame)) {
      published(*message);
    } else {
      complain(fmt::format("unknown opcode {}", std::get<foxglove::OtherFrame>(frame).opcode));
    }
  } catch (const Error& error) {
    complain(error.message());
  }
}

void FoxgloveSession::requested(const foxglove::PlaybackRequest& /*request*/) {
  complain("live data cannot be paused or sought");
}

void FoxgloveSession::advertised(const foxglove::Advertise& /*text*/) {
  complain(kNotAccepted);
}

void FoxgloveSession::unadvertised(const foxglove::Unadvertise& /*text*/) {
  complain(kNotAccepted);
}

void FoxgloveSession::published(const foxglove::PublishedData& /*message*/) {
  complain(kNotAccepted);
}

void FoxgloveSession::advertise(const Channels& channels, std::size_t from) {
  foxglove::Advertise text;
  std::size_t bytes = 0;
  for (std::size_t slot = from; slot < channels.size(); ++slot) {
    if (!channels[slot]) continue;
    bytes += channels[slot]->schema ? channels[slot]->schema->text.size() : 0;
    // A channel's number is its slot plus one, so that 0 is none.
    text.channels.push_back({slot + 1, *channels[slot]});
    if (bytes < kAdvertiseBytes) continue;
    send(std::exchange(text, {}));
    bytes = 0;
  }
  if (!text.channels.empty() || from == 0) send(text);
}

void FoxgloveSession::complain(const std::string& what) {
  if (++complaints_ <= kMostComplaints) send(foxglove::Status{2, what});
}

void FoxgloveSession::subscribe(const foxglove::Subscribe& text) {
  std::vector<std::size_t> added;
  for (const auto& [id, channel] : text.subscriptions) {
    if (channel == 0 || channel > channels()) {
      complain(fmt::format("there is no channel {}", channel));
      continue;
    }
    std::size_t slot = static_cast<std::size_t>(channel - 1);
    bool is_new = false;
    {
      std::lock_guard lock(mutex_);
      if (subscriptions_.size() <= slot) subscriptions_.resize(slot + 1);
      is_new = !subscriptions_[slot] && slots_.emplace(id, slot).second;
      if (is_new) subscriptions_[slot] = id;
    }
    if (is_new) {
      added.push_back(slot);
    } else {
      complain(fmt::format("subscription {} or one for channel {} exists already", id, channel));
    }
  }
  // Without the lock: the hub takes its own here, and with that held it asks is_subscribed().
  if (!added.empty()) subscribed(added);
}

void FoxgloveSession::unsubscribe(const foxglove::Unsubscribe& text) {
  for (std::uint32_t id : text.ids) {
    bool is_known = false;
    {
      std::lock_guard lock(mutex_);
      auto place = slots_.find(id);
      is_known = place != slots_.end();
      if (is_known) {
        subscriptions_[place->second].reset();
        slots_.erase(place);
      }
    }
    if (!is_known) complain(fmt::format("there is no subscription {}", id));
  }
}

bool FoxgloveSession::is_subscribed(std::size_t slot) const {
  std::lock_guard lock(mutex_);
  return slot < subscriptions_.size() && subscriptions_[slot];
}

void FoxgloveSession::deliver(std::size_t slot, const Message& message) {
  std::uint32_t subscription = 0;
  {
    std::lock_guard lock(mutex_);
    if (slot >= subscriptions_.size() || !subscriptions_[slot]) return;
    subscription = *subscriptions_[slot];
  }
  sender_->send_binary(foxglove::message_head(subscription, message.log_time), message.data);
}

}  // namespace kitbag::server
