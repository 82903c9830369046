#include "flow/sim_time.h"

#include <optional>
#include <utility>

#include "kitbag/calls.h"
#include "kitbag/message.h"

// Payloads are read by hand: two numbers at fixed places do not need a codec and a definition, and
// a recording may have no definition of Clock.
//
//   ROS 1     secs  | nsecs        4 bytes each, little-endian
//   CDR       header of 4 bytes | sec | nanosec
//
// The lowest bit of the second byte of the header is the byte order. Messages of /clock get the
// time that they carry, so the clock and what follows it agree. If the simulation starts again, its
// time runs back, and log times with it.

namespace kitbag {

namespace {

std::uint32_t load(ByteView bytes, std::size_t at, bool is_little) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    value |= std::to_integer<std::uint32_t>(bytes[at + i]) << 8 * (is_little ? i : 3 - i);
  }
  return value;
}

/// What a rosgraph_msgs/Clock says, in either encoding; nothing where it is none.
std::optional<Time> time_in(const Message& message) {
  bool is_cdr = message.channel->encoding == "cdr";
  std::size_t begin = is_cdr ? 4 : 0;  // behind the header of CDR
  if (message.data.size() < begin + 8) return std::nullopt;
  bool is_little = !is_cdr || (message.data[1] & std::byte{1}) == std::byte{1};
  std::int64_t seconds = load(message.data, begin, is_little);
  if (is_cdr) seconds = static_cast<std::int32_t>(seconds);
  return Time(std::chrono::seconds(seconds)) + Duration(load(message.data, begin + 4, is_little));
}

class SimTime final : public Stage {
 public:
  SimTime(SimTimeReport& report, std::function<bool()> is_paused)
      : report_(report), is_paused_(std::move(is_paused)) {}

  ChannelPtr map(const ChannelPtr& channel) override {
    if (is_clock_.size() <= channel->slot) is_clock_.resize(channel->slot + 1);
    is_clock_[channel->slot] = channel->topic == kClockTopic;
    if (report_.left_out.size() <= channel->slot) report_.left_out.resize(channel->slot + 1);
    report_.left_out[channel->slot].channel = channel;
    return channel;
  }

  void apply(Batch& batch) override {
    bool is_paused = is_paused_ && is_paused_();
    for (Message& message : batch.messages()) {
      if (is_clock_[message.channel->slot]) {
        if (auto time = time_in(message)) now_ = time;
      }
      if (now_) {
        message.log_time = *now_;
      } else {
        message.flags |= kTooSoon;
        SimTimeReport::LeftOut& left_out = report_.left_out[message.channel->slot];
        left_out.has_come = true;
        if (!is_paused || is_state(*message.channel)) ++left_out.messages;
      }
    }
    report_.has_time = now_.has_value();
    batch.drop_if([](const Message& message) { return (message.flags & kTooSoon) != 0; });
  }

 private:
  static constexpr std::uint32_t kTooSoon = 1U << 31;  ///< a flag that does not leave this stage

  SimTimeReport& report_;
  std::function<bool()> is_paused_;
  std::vector<bool> is_clock_;  ///< by slot
  std::optional<Time> now_;
};

}  // namespace

std::unique_ptr<Stage> sim_time(SimTimeReport& report, std::function<bool()> is_paused) {
  return std::make_unique<SimTime>(report, std::move(is_paused));
}

}  // namespace kitbag
