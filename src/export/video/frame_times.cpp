#include "export/video/frame_times.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "kitbag/error.h"
#include "kitbag/text.h"

// Times of messages may stand still or run back, while those in a container have to grow. A frame
// that is not far enough behind the one before it gets the next tick that there may be; its own
// time is in the table. Ticks are counted from the first frame, and not from one frame to the next,
// so that rounding does not add up.

namespace kitbag::libav {
namespace {

constexpr std::int64_t kNanosecondsPerSecond = 1'000'000'000;

void add_line(WriteFile& table, const std::string& line) {
  table.append(std::as_bytes(std::span(line)));
}

}  // namespace

FrameTimes::FrameTimes(Container container, WriteFile* table)
    : ticks_(ticks_of(container)), table_(table) {
  if (table_) add_line(*table_, "frame,seconds,time_ns\n");
}

std::int64_t FrameTimes::next(Time time) {
  if (!first_) first_ = time;
  std::int64_t ticks = av_rescale(saturating_difference(*first_, time).count(), ticks_.per_second,
                                  kNanosecondsPerSecond);
  if (count_ > 0 && ticks < last_ + ticks_.least) {
    if (time <= latest_) ++moved_;
    ticks = last_ + ticks_.least;
  } else if (ticks - last_ > ticks_.most) {
    throw Error(ErrorCode::unsupported,
                fmt::format("the messages pause for {} before {}, which is too long for a video in "
                            "this format; select a shorter range, or the format mkv",
                            format_duration(Duration((ticks - last_) *
                                                     (kNanosecondsPerSecond / ticks_.per_second))),
                            format_time(time)));
  }
  if (table_) {
    std::int64_t microseconds = av_rescale(ticks, 1'000'000, ticks_.per_second);
    add_line(*table_, fmt::format("{},{}.{:06},{}\n", count_, microseconds / 1'000'000,
                                  microseconds % 1'000'000, to_ns(time)));
  }
  last_ = ticks;
  latest_ = count_ == 0 ? time : std::max(latest_, time);
  ++count_;
  return ticks;
}

}  // namespace kitbag::libav
