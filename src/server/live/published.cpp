#include "server/live/published.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "kitbag/error.h"
#include "kitbag/feed.h"
#include "server/live/hub.h"

// A client's rate is a bucket of tokens: messages_left_ and bytes_left_ grow with time up to what
// is allowed in a second. So a client may send a burst, but not more than the rate over time. What
// exceeds it is dropped, not delayed: the connection's thread serves other clients.
//
// A table of channels is replaced, not extended, since batches on their way hold the old one.

namespace kitbag::server {
namespace {

/// Between two warnings about dropped messages.
constexpr Duration kWarningPeriod = std::chrono::seconds(1);

std::size_t bytes_of(const Channel& channel) {
  std::size_t bytes = channel.topic.size() + channel.encoding.size();
  if (channel.schema) bytes += channel.schema->name.size() + channel.schema->text.size();
  return bytes;
}

}  // namespace

/// The recorder's side. A channel is added to the feed with its first message, so that a recording
/// does not declare channels that nobody uses any more.
class PublishedMessages::Reader final : public Source {
 public:
  explicit Reader(PublishedMessages& published)
      : published_(published),
        feed_(published.limits_.recorder_bytes, OnFull::drop_newest, published.clock_) {
    std::lock_guard lock(published_.mutex_);
    published_.readers_.insert(this);
  }
  ~Reader() override {
    std::lock_guard lock(published_.mutex_);
    published_.readers_.erase(this);
  }

  ChannelsPtr channels() const override { return feed_.channels(); }
  bool read(Batch& batch, const Wait& wait) override { return feed_.read(batch, wait); }

  /// With the lock held. Returns false if there is no room for the message.
  bool push(Message message) {
    std::size_t slot = message.channel->slot;
    if (own_.size() <= slot) own_.resize(slot + 1);
    if (!own_[slot]) own_[slot] = feed_.add(*message.channel);
    message.channel = own_[slot].get();
    return feed_.push(message);
  }

 private:
  PublishedMessages& published_;
  Feed feed_;
  Channels own_;  ///< the feed's, by published slot
};

PublishedMessages::PublishedMessages(LiveHub& hub, ClockPtr clock, const PublishLimits& limits)
    : clock_(std::move(clock)), limits_(limits), viewers_(hub.input()) {}

PublishedMessages::~PublishedMessages() = default;

const std::vector<std::string>& PublishedMessages::encodings() {
  static const std::vector<std::string> all = {"json", "cdr", "ros1", "protobuf"};
  return all;
}

std::unique_ptr<Source> PublishedMessages::source() {
  return std::make_unique<Reader>(*this);
}

std::size_t PublishedMessages::slot_of(const Channel& content) {
  if (content.topic.empty()) throw Error(ErrorCode::invalid, "a channel needs a topic");
  const auto& known = encodings();
  if (std::find(known.begin(), known.end(), content.encoding) == known.end()) {
    throw Error(ErrorCode::unsupported,
                fmt::format("messages in the encoding \"{}\" are not accepted, but {}",
                            content.encoding.substr(0, 100), fmt::join(known, ", ")));
  }
  std::lock_guard lock(mutex_);
  // A channel is never removed, as batches and readers may hold it. So a client that comes again
  // gets the slots that it had, and does not use up the limits.
  auto [first, last] = slots_.equal_range(content.topic);
  for (auto place = first; place != last; ++place) {
    if (same_content(*(*channels_)[place->second], content)) return place->second;
  }
  std::size_t bytes = bytes_of(content);
  if (channels_->size() >= limits_.channels ||
      bytes > limits_.definition_bytes - definition_bytes_) {
    throw Error(ErrorCode::limit,
                fmt::format("there are too many channels; the limit is {}, with {} MiB of topics "
                            "and definitions",
                            limits_.channels, limits_.definition_bytes >> 20));
  }
  definition_bytes_ += bytes;
  std::size_t slot = channels_->size();
  Channel channel = content;
  channel.slot = static_cast<std::uint32_t>(slot);
  Channels longer = *channels_;
  longer.push_back(std::make_shared<const Channel>(std::move(channel)));
  channels_ = std::make_shared<const Channels>(std::move(longer));
  slots_.emplace(content.topic, slot);
  Batch declaring;
  declaring.channels = channels_;
  viewers_->write(std::move(declaring));
  return slot;
}

bool PublishedMessages::publish(std::size_t slot, ByteView payload) {
  std::lock_guard lock(mutex_);
  Message message{};
  message.channel = (*channels_)[slot].get();
  message.log_time = message.publish_time = clock_->wall();
  message.data = payload;
  Batch batch;
  batch.channels = channels_;
  batch.add(message);
  viewers_->write(std::move(batch));
  SteadyTime now = clock_->steady();
  if (now >= viewers_->due()) viewers_->tick(now);
  // With the lock still held, so that all readers get the messages of all clients in one order.
  bool is_recorded = true;
  for (Reader* reader : readers_) is_recorded &= reader->push(message);
  return is_recorded;
}

PublishingClient::PublishingClient(PublishedMessages& published, ClockPtr clock,
                                   std::function<void(const std::string& what)> warn)
    : published_(published),
      clock_(std::move(clock)),
      warn_(std::move(warn)),
      messages_left_(static_cast<double>(published.limits_.messages_per_second)),
      bytes_left_(static_cast<double>(published.limits_.bytes_per_second)),
      filled_(clock_->steady()) {}

void PublishingClient::advertise(const foxglove::AdvertisedChannel& channel) {
  std::size_t slot = published_.slot_of(channel.channel);
  if (slots_.size() >= published_.limits_.channels && !slots_.contains(channel.id)) {
    throw Error(ErrorCode::limit,
                fmt::format("a client may have at most {} channels", published_.limits_.channels));
  }
  auto [place, is_new] = slots_.emplace(channel.id, slot);
  if (!is_new && place->second != slot) {
    throw Error(ErrorCode::invalid, fmt::format("there is another channel {}", channel.id));
  }
}

void PublishingClient::unadvertise(std::uint64_t id) {
  if (slots_.erase(id) == 0) {
    throw Error(ErrorCode::invalid, fmt::format("there is no channel {}", id));
  }
}

void PublishingClient::publish(const foxglove::PublishedData& message) {
  auto place = slots_.find(message.channel);
  if (place == slots_.end()) {
    throw Error(ErrorCode::invalid,
                fmt::format("there is no channel {}; advertise it first", message.channel));
  }
  if (!has_allowance(message.payload.size())) {
    count_dropped("they come too fast");
  } else if (!published_.publish(place->second, message.payload)) {
    count_dropped("the recorder is too slow");
  }
}

bool PublishingClient::has_allowance(std::size_t bytes) {
  const PublishLimits& limits = published_.limits_;
  SteadyTime now = clock_->steady();
  double seconds = std::chrono::duration<double>(now - std::exchange(filled_, now)).count();
  auto fill = [seconds](double left, std::uint64_t each_second) {
    auto most = static_cast<double>(each_second);
    return std::min(most, left + seconds * most);
  };
  messages_left_ = fill(messages_left_, limits.messages_per_second);
  bytes_left_ = fill(bytes_left_, limits.bytes_per_second);
  auto needed = static_cast<double>(bytes);
  if (messages_left_ < 1 || bytes_left_ < needed) return false;
  messages_left_ -= 1;
  bytes_left_ -= needed;
  return true;
}

void PublishingClient::count_dropped(std::string_view why) {
  ++dropped_;
  SteadyTime now = clock_->steady();
  if (now < next_warning_) return;
  next_warning_ = now + kWarningPeriod;
  warn_(
      fmt::format("messages are dropped: {}; the limit is {} messages and {} MiB per second; "
                  "dropped so far: {}",
                  why, published_.limits_.messages_per_second,
                  published_.limits_.bytes_per_second >> 20, dropped_));
}

}  // namespace kitbag::server
