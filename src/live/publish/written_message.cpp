#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "definitions/named_channel.h"
#include "kitbag/error.h"
#include "kitbag/publish_message.h"
#include "kitbag/transcode.h"
#include "kitbag/value.h"
#include "kitbag/value_text.h"

// The text is read before anything is sent, so that a mistake in it is found at once. It is read
// again for each message only if it says "now"; otherwise every message has the same payload.

namespace kitbag {

namespace {

constexpr double kLeastMessagesHz = 1e-6;
constexpr double kMostMessagesHz = 1e6;

class WrittenSource final : public Source {
 public:
  WrittenSource(const WrittenMessage& message, const Session& session)
      : texts_(message.texts),
        clock_(session.clock()),
        count_(message.count),
        period_(period_of(message.rate_hz)) {
    auto channel = named_channel(message.type, message.encoding, message.definitions, session);
    channel->topic = message.topic;
    if (message.is_latched) channel->metadata.emplace("latching", "1");
    type_ = type_of(*channel, session);
    writer_.emplace(*channel, session);
    channels_ = std::make_shared<const Channels>(Channels{std::move(channel)});
    encode(clock_->wall());
    due_ = clock_->steady();
  }

  ChannelsPtr channels() const override { return channels_; }

  bool read(Batch& batch, const Wait& wait) override {
    if (sent_ == count_) return false;
    batch.channels = channels_;
    if (clock_->steady() < due_) clock_->sleep({wait.stop, std::min(wait.until, due_)});
    SteadyTime now = clock_->steady();
    if (now < due_ || wait.stop.stop_requested()) return true;
    // After a wait that was too long, one message follows at once, and not all that are missing.
    due_ = std::max(due_ + period_, now);
    Time time = clock_->wall();
    if (uses_now_) encode(time);
    batch.keep(payload_, payload_->size());
    batch.add({channels_->front().get(), static_cast<std::uint32_t>(sent_), 0, time, time,
               ByteView(*payload_)});
    ++sent_;
    return true;
  }

 private:
  static Duration period_of(double hz) {
    if (hz >= kLeastMessagesHz && hz <= kMostMessagesHz)
      return Duration(static_cast<std::int64_t>(1e9 / hz));
    throw Error(ErrorCode::invalid, fmt::format("{} messages a second are out of range", hz));
  }

  void encode(Time now) {
    ByteView bytes = writer_->write(parse_value(texts_, *type_, now, &uses_now_));
    payload_ = std::make_shared<const std::vector<std::byte>>(bytes.begin(), bytes.end());
  }

  std::vector<std::string> texts_;
  ClockPtr clock_;
  std::uint64_t count_;
  Duration period_;
  TypePtr type_;
  std::optional<ValueWriter> writer_;
  ChannelsPtr channels_;
  std::shared_ptr<const std::vector<std::byte>> payload_;
  bool uses_now_ = false;
  SteadyTime due_;
  std::uint64_t sent_ = 0;
};

}  // namespace

std::unique_ptr<Source> written_message(const WrittenMessage& message, const Session& session) {
  return std::make_unique<WrittenSource>(message, session);
}

}  // namespace kitbag
