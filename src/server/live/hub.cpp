#include "server/live/hub.h"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>

#include "kitbag/foxglove.h"
#include "server/live/foxglove_session.h"
#include "server/live/published.h"

// One lock for all: it puts advertisements, messages and what new clients are told into one order
// for everybody. To pass a message on is to copy it into the client's queue (WebSocketSender),
// which never waits. The cost: a source waits while another one hands its batch over.
//
//   source A  slots 0 1 2  ->  hub  slots 0 1 2 . .    ids 1 2 3
//   source B  slots 0 1    ->             . . . 3 4    ids       4 5
//
// Slots of the hub are not used again when a source goes: a client may have subscribed to the id,
// and would get another topic's messages.
//
// Reports need a tick, because a client that has dropped messages should hear of it also if no
// message follows. They come with the ticks of whichever source runs.

namespace kitbag::server {
namespace {

/// When more than this waits for a client, messages for it are dropped.
constexpr std::size_t kDropBytes = 8 << 20;
/// The most memory for the last messages of latched channels, in all.
constexpr std::size_t kMostLastBytes = 64 << 20;
/// How often the time, and the number of dropped messages, is sent to clients.
constexpr Duration kTimePeriod = std::chrono::milliseconds(100);

}  // namespace

class LiveClient final : public FoxgloveSession {
 public:
  LiveClient(LiveHub& hub, PublishedMessages* published) : hub_(hub) {
    if (!published) return;
    auto warn = [this](const std::string& what) { send(foxglove::Status{1, what}); };
    publishing_.emplace(*published, hub.clock_, warn);
  }
  ~LiveClient() override { hub_.end(*this); }

  void on_close() override { hub_.end(*this); }

  // Called by the hub, with its lock held:

  void take(std::size_t slot, const Message& message) {
    if (!is_subscribed(slot)) return;
    if (sender().waiting_bytes() > kDropBytes) {
      ++dropped_;
    } else {
      deliver(slot, message);
    }
  }
  void send_time(Time now) {
    if (sender().waiting_bytes() > kDropBytes) return;
    sender().send_binary(as_bytes(to_frame(foxglove::TimeUpdate{now})));
  }
  bool misses_report() const { return dropped_ != reported_; }
  void report() {
    if (!misses_report() || sender().waiting_bytes() > kDropBytes) return;
    send(foxglove::Status{
        1, fmt::format("{} messages were dropped: the client is too slow", dropped_)});
    reported_ = dropped_;
  }
  void take_channels(const Channels& channels, std::size_t from) { advertise(channels, from); }
  void lose_channels(const foxglove::Unadvertise& text) { send(text); }
  void greet() {
    foxglove::ServerInfo info;
    info.name = "kitbag: live";
    info.capabilities = {"time"};
    if (publishing_) {
      info.capabilities.emplace_back("clientPublish");
      info.encodings = PublishedMessages::encodings();
    }
    send(info);
  }

 protected:
  void advertised(const foxglove::Advertise& text) override {
    if (!publishing_) return FoxgloveSession::advertised(text);
    for (const foxglove::AdvertisedChannel& each : text.channels) publishing_->advertise(each);
  }
  void unadvertised(const foxglove::Unadvertise& text) override {
    if (!publishing_) return FoxgloveSession::unadvertised(text);
    for (std::uint64_t id : text.ids) publishing_->unadvertise(id);
  }
  void published(const foxglove::PublishedData& message) override {
    publishing_ ? publishing_->publish(message) : FoxgloveSession::published(message);
  }

  void begin() override { hub_.begin(*this); }
  std::size_t channels() const override { return hub_.channels(); }
  void subscribed(const std::vector<std::size_t>& slots) override { hub_.send_last(*this, slots); }

 private:
  LiveHub& hub_;
  std::optional<PublishingClient> publishing_;  ///< absent: it may not publish
  std::uint64_t dropped_ = 0;                   ///< with the hub's lock
  std::uint64_t reported_ = 0;                  ///< likewise
};

/// The messages of one source, whose slots it maps to the hub's.
class LiveHub::Input final : public Sink {
 public:
  explicit Input(LiveHub& hub) : hub_(hub) {}
  ~Input() override { hub_.remove(own_); }

  void write(Batch&& batch) override { show(batch); }
  void show(const Batch& batch) {
    if (batch.channels && batch.channels->size() > own_.size()) hub_.declare(own_, *batch.channels);
    hub_.write(own_, batch);
  }
  SteadyTime due() const override { return hub_.report_due(); }
  void tick(SteadyTime /*now*/) override { hub_.report(); }
  void close() override { hub_.remove(std::exchange(own_, {})); }

 private:
  LiveHub& hub_;
  Channels own_;  ///< the hub's, by the source's slots
};

std::unique_ptr<Sink> LiveHub::input() {
  return std::make_unique<Input>(*this);
}

class LiveHub::InPassing final : public Stage {
 public:
  explicit InPassing(LiveHub& hub) : input_(hub) {}

  void apply(Batch& batch) override { input_.show(batch); }

 private:
  Input input_;
};

std::unique_ptr<Stage> LiveHub::stage() {
  return std::make_unique<InPassing>(*this);
}

std::unique_ptr<WebSocketSession> LiveHub::client(PublishedMessages* published) {
  return std::make_unique<LiveClient>(*this, published);
}

void LiveHub::declare(Channels& own, const Channels& channels) {
  std::lock_guard lock(mutex_);
  std::size_t from = channels_.size();
  for (std::size_t slot = own.size(); slot < channels.size(); ++slot) {
    if (!channels[slot]) {
      own.push_back(nullptr);
      continue;
    }
    Channel channel = *channels[slot];
    channel.slot = static_cast<std::uint32_t>(channels_.size());
    channels_.push_back(std::make_shared<const Channel>(std::move(channel)));
    own.push_back(channels_.back());
  }
  last_.resize(channels_.size());
  if (channels_.size() == from) return;
  for (LiveClient* client : clients_) client->take_channels(channels_, from);
}

void LiveHub::write(const Channels& own, const Batch& batch) {
  if (batch.empty()) return;
  std::lock_guard lock(mutex_);
  for (const Message& message : batch.messages()) {
    const ChannelPtr& channel = own[message.channel->slot];
    if (!channel) continue;
    if (is_latched(*channel)) keep(message, channel->slot);
    for (LiveClient* client : clients_) client->take(channel->slot, message);
  }
  SteadyTime now = clock_->steady();
  if (now < next_time_) return;
  next_time_ = now + kTimePeriod;
  for (LiveClient* client : clients_) {
    client->send_time(batch.messages().back().log_time);
    client->report();
  }
}

/// A client that has lost messages gets a report with the next tick of a source.
SteadyTime LiveHub::report_due() const {
  std::lock_guard lock(mutex_);
  for (const LiveClient* client : clients_) {
    if (client->misses_report()) return next_time_;
  }
  return kNever;
}

void LiveHub::report() {
  std::lock_guard lock(mutex_);
  next_time_ = clock_->steady() + kTimePeriod;
  for (LiveClient* client : clients_) client->report();
}

void LiveHub::keep(const Message& message, std::size_t slot) {
  std::size_t before = last_[slot] ? last_[slot]->data.size() : 0;
  last_bytes_ -= before;
  last_[slot].reset();
  if (message.data.size() > kMostLastBytes - last_bytes_) return;
  last_bytes_ += message.data.size();
  last_[slot] = std::make_unique<Last>(
      Last{message, std::vector<std::byte>(message.data.begin(), message.data.end())});
  last_[slot]->message.channel = channels_[slot].get();
  last_[slot]->message.data = last_[slot]->data;
}

void LiveHub::remove(const Channels& own) {
  foxglove::Unadvertise gone;
  std::lock_guard lock(mutex_);
  for (const ChannelPtr& channel : own) {
    if (!channel) continue;
    gone.ids.push_back(channel->slot + 1);
    if (auto last = std::exchange(last_[channel->slot], nullptr)) last_bytes_ -= last->data.size();
    // The place stays, so that the slots of the others do.
    channels_[channel->slot] = nullptr;
  }
  if (gone.ids.empty()) return;
  for (LiveClient* client : clients_) client->lose_channels(gone);
}

void LiveHub::begin(LiveClient& client) {
  std::lock_guard lock(mutex_);
  client.greet();
  client.take_channels(channels_, 0);
  clients_.insert(&client);
}

void LiveHub::end(LiveClient& client) {
  std::lock_guard lock(mutex_);
  clients_.erase(&client);
}

void LiveHub::send_last(LiveClient& client, const std::vector<std::size_t>& slots) {
  std::lock_guard lock(mutex_);
  for (std::size_t slot : slots) {
    if (last_[slot]) client.take(slot, last_[slot]->message);
  }
}

std::size_t LiveHub::channels() const {
  std::lock_guard lock(mutex_);
  return channels_.size();
}

}  // namespace kitbag::server
