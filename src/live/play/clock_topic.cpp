#include "live/play/clock_topic.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "kitbag/error.h"

// The clock is slot 0 and what is played moves up by one, so a late channel of the bag never meets
// it. Its payload has twelve bytes at most, so it is written by hand instead of by an encoder:
//
//   CDR       00 01 00 00 | sec, 4 bytes | nanosec, 4 bytes
//   ROS 1                   secs           nsecs
//
// The encapsulation header says little-endian CDR (RTPS 2.5, 10.5). For ROS 1 the header is cut
// off. Seconds are signed in ROS 2 and unsigned in ROS 1, and nanoseconds are never negative; so a
// time before 1970 takes the second below.
//
// A tick that is late is not made up for: the next one is due a period after the last due time, or
// now, whichever is later. Subscribers want the current time, not a burst of old ones.

namespace kitbag {

namespace {

constexpr double kMostClockHz = 10'000;
constexpr std::int64_t kSecondNs = 1'000'000'000;

Channel clock_channel(bool is_cdr) {
  Channel channel;
  channel.topic = "/clock";
  if (is_cdr) {
    channel.encoding = "cdr";
    channel.schema = std::make_shared<const Schema>(
        Schema{"rosgraph_msgs/msg/Clock", "ros2msg",
               "builtin_interfaces/Time clock\n" + std::string(80, '=') +
                   "\nMSG: builtin_interfaces/Time\nint32 sec\nuint32 nanosec\n"});
    return channel;
  }
  channel.encoding = "ros1";
  channel.schema =
      std::make_shared<const Schema>(Schema{"rosgraph_msgs/Clock", "ros1msg", "time clock\n"});
  channel.metadata.emplace("md5sum", "a9c97c1d230cfc112e270351a944ee47");
  return channel;
}

}  // namespace

ClockTopic::ClockTopic(const PlayedClock& options, SteadyTime now)
    : is_cdr_(options.encoding == "cdr") {
  if (options.hz == 0) return;
  if (!(options.hz > 0 && options.hz <= kMostClockHz)) {
    throw Error(ErrorCode::invalid, fmt::format("invalid clock rate: {} Hz", options.hz));
  }
  if (!is_cdr_ && options.encoding != "ros1") {
    throw Error(ErrorCode::invalid,
                fmt::format("/clock cannot be published in the encoding {}; use ros1 or cdr",
                            options.encoding));
  }
  period_ = Duration(static_cast<std::int64_t>(1e9 / options.hz));
  due_ = now;
  channel_ = std::make_shared<const Channel>(clock_channel(is_cdr_));
}

/// Seconds and nanoseconds, little-endian, behind the header that CDR has.
void ClockTopic::tell(Time position, SteadyTime now, Batch& batch) {
  due_ = std::max(due_ + period_, now);
  constexpr std::size_t kCdrHeader = 4;
  auto bytes = std::make_shared<std::array<std::byte, kCdrHeader + 8>>();
  std::int64_t seconds = to_ns(position) / kSecondNs;
  std::int64_t rest = to_ns(position) % kSecondNs;
  auto low = static_cast<std::uint32_t>(seconds - (rest < 0 ? 1 : 0));
  auto ns = static_cast<std::uint32_t>(rest < 0 ? rest + kSecondNs : rest);
  *bytes = {std::byte{0}, std::byte{1}};
  for (std::size_t i = 0; i < 4; ++i) {
    (*bytes)[kCdrHeader + i] = static_cast<std::byte>(low >> 8 * i);
    (*bytes)[kCdrHeader + 4 + i] = static_cast<std::byte>(ns >> 8 * i);
  }
  batch.keep(bytes, bytes->size());
  ByteView data = ByteView(*bytes).subspan(is_cdr_ ? 0 : kCdrHeader);
  batch.add({channel_.get(), sequence_++, 0, position, position, data});
}

ChannelsPtr ClockTopic::channels(const ChannelsPtr& played) const {
  if (!channel_ || !played || played == played_) return channel_ && played ? table_ : played;
  Channels table{channel_};
  for (const ChannelPtr& channel : *played) {
    std::size_t slot = table.size();
    if (table_ && slot < table_->size()) {  // its messages are known by its address
      table.push_back((*table_)[slot]);
      continue;
    }
    if (!channel) {
      table.emplace_back();
      continue;
    }
    Channel moved = *channel;
    moved.slot = static_cast<std::uint32_t>(slot);
    table.push_back(std::make_shared<const Channel>(std::move(moved)));
  }
  played_ = played;
  table_ = std::make_shared<const Channels>(std::move(table));
  return table_;
}

void ClockTopic::make_room(Batch& batch) const {
  if (!channel_) return;
  batch.channels = channels(batch.channels);
  for (Message& message : batch.messages()) {
    message.channel = (*table_)[message.channel->slot + 1].get();
  }
}

}  // namespace kitbag
