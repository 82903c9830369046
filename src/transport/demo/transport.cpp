#include "transport/demo/transport.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "kitbag/error.h"
#include "kitbag/selector.h"
#include "transport/demo/definitions.h"
#include "transport/demo/robot.h"
#include "transport/demo/topics.h"

// A bag that is computed. Each topic has a schedule (first time, period, count), so the n-th
// message and its time are known without those before it: a query finds its place by binary search,
// reads backwards by counting down, and a summary costs nothing. Topics are merged by looking at
// the next time of each; they are a dozen, so a heap would not pay.
//
// It is a bag and no live system. Session::listen() makes it one, by giving its messages in real
// time (live/listen/live.cpp). So recorders can be tried without a robot.

namespace kitbag::demo {

namespace {

constexpr double kMostSeconds = 30.0 * 24 * 3600;
constexpr double kMostRate = 10'000;
constexpr std::int64_t kDefaultStart = 1'767'225'600;  // 2026-01-01
/// Topics do not all begin at once.
constexpr Duration kApart = std::chrono::milliseconds(1);

/// When the messages of a topic come.
struct Schedule {
  Time first;
  Duration period{};
  std::uint64_t count = 0;

  Time at(std::uint64_t index) const { return first + static_cast<std::int64_t>(index) * period; }
};

struct Recording {
  Recording(std::uint64_t seed, Time start) : robot(seed, start) {}

  Robot robot;
  std::vector<Schedule> schedules;  ///< by topic
  ChannelsPtr channels;
};

double number(const Location& location, const std::string& key, double by_default, double most) {
  auto found = location.parameters.find(key);
  if (found == location.parameters.end()) return by_default;
  const std::string& text = found->second;
  double value = 0;
  auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  bool is_number = parsed.ec == std::errc() && parsed.ptr == text.data() + text.size();
  if (is_number && value >= 0 && value <= most) return value;
  throw Error(
      ErrorCode::invalid,
      fmt::format("invalid parameter {}={}; expected a number from 0 to {}", key, text, most),
      location.uri);
}

void require_known(const Location& location) {
  std::vector<std::string_view> known = {"seconds", "seed", "start"};
  for (const Topic& topic : topics()) {
    if (!topic.parameter.empty()) known.push_back(topic.parameter);
  }
  if (!location.path.empty()) {
    throw Error(ErrorCode::invalid, "demo:// takes only parameters, no path", location.uri);
  }
  for (const auto& [key, value] : location.parameters) {
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    throw Error(
        ErrorCode::invalid,
        fmt::format("unknown parameter {}; supported parameters: {}", key, fmt::join(known, ", ")),
        location.uri);
  }
}

ChannelPtr make_channel(const Topic& topic, std::uint32_t slot) {
  auto channel = std::make_shared<Channel>();
  channel->topic = topic.name;
  channel->encoding = "ros1";
  std::string type(topic.type);
  channel->schema = std::make_shared<const Schema>(Schema{type, "ros1msg", definition(type)});
  channel->metadata["callerid"] = "/demo";
  channel->metadata["md5sum"] = topic.md5sum;
  if (topic.parameter.empty()) channel->metadata["latching"] = "1";
  channel->slot = slot;
  return channel;
}

/// Goes through the messages in the order of their times, or back.
class DemoSource final : public Source {
 public:
  DemoSource(std::shared_ptr<const Recording> recording, const Query& query)
      : recording_(std::move(recording)), query_(query), skip_(query.nth), left_(query.count) {
    Selector selector(query.select);
    Channels wanted;
    bool is_backward = query.order == Order::reverse_time;
    for (const ChannelPtr& channel : *recording_->channels) {
      bool is_wanted = selector.matches(*channel);
      wanted.push_back(is_wanted ? channel : nullptr);
      auto [begin, end] =
          is_wanted ? range_of(channel->slot) : std::pair<std::uint64_t, std::uint64_t>();
      next_.push_back(is_backward ? end : begin);
      last_.push_back(is_backward ? begin : end);
    }
    channels_ = std::make_shared<const Channels>(std::move(wanted));
  }

  ChannelsPtr channels() const override { return channels_; }

  bool read(Batch& batch, const Wait&) override {
    batch.channels = channels_;
    Arena arena;
    while (left_ > 0 && !batch.full()) {
      auto topic = next_topic();
      if (!topic) break;
      std::uint64_t index = take(*topic);
      if (skip_ > 0) {
        --skip_;
        continue;
      }
      --left_;
      Time stamp = recording_->schedules[*topic].at(index);
      batch.add({(*channels_)[*topic].get(), 0, 0, stamp, stamp,
                 recording_->robot.message(*topic, index, stamp, arena)});
    }
    std::size_t size = arena.size();
    if (size > 0) batch.keep(arena.release(), size);
    batch.keep(recording_, 0);
    return !batch.empty();
  }

 private:
  bool is_backward() const { return query_.order == Order::reverse_time; }

  /// Which messages of a topic are in the time asked for.
  std::pair<std::uint64_t, std::uint64_t> range_of(std::size_t topic) const {
    const Schedule& schedule = recording_->schedules[topic];
    auto first_from = [&](Time time) {
      std::uint64_t low = 0;
      std::uint64_t high = schedule.count;
      while (low < high) {
        std::uint64_t middle = low + (high - low) / 2;
        if (schedule.at(middle) < time) {
          low = middle + 1;
        } else {
          high = middle;
        }
      }
      return low;
    };
    std::uint64_t end = query_.end == Time::max() ? schedule.count : first_from(query_.end);
    return {std::min(first_from(query_.begin), end), end};
  }

  /// The topic whose message comes next; those of one time in the order of the topics.
  std::optional<std::size_t> next_topic() const {
    std::optional<std::size_t> best;
    Time best_time;
    for (std::size_t topic = 0; topic < next_.size(); ++topic) {
      if (next_[topic] == last_[topic]) continue;
      Time time = recording_->schedules[topic].at(is_backward() ? next_[topic] - 1 : next_[topic]);
      // Backwards the last of those of one time, so that the order is exactly the reverse.
      bool is_better = !best || (is_backward() ? time >= best_time : time < best_time);
      if (!is_better) continue;
      best = topic;
      best_time = time;
    }
    return best;
  }

  std::uint64_t take(std::size_t topic) { return is_backward() ? --next_[topic] : next_[topic]++; }

  std::shared_ptr<const Recording> recording_;
  Query query_;
  std::uint64_t skip_;
  std::uint64_t left_;
  ChannelsPtr channels_;
  std::vector<std::uint64_t> next_;  ///< by topic
  std::vector<std::uint64_t> last_;
};

class DemoBag final : public Bag {
 public:
  explicit DemoBag(std::shared_ptr<const Recording> recording) : recording_(std::move(recording)) {
    summary_.format = "demo";
    summary_.version = "1";
    summary_.channels = recording_->channels;
    for (const Schedule& schedule : recording_->schedules) {
      summary_.message_counts.push_back(schedule.count);
      if (schedule.count == 0) continue;
      Time first = schedule.first;
      Time last = schedule.at(schedule.count - 1);
      summary_.start = summary_.messages == 0 ? first : std::min(summary_.start, first);
      summary_.end = summary_.messages == 0 ? last : std::max(summary_.end, last);
      summary_.messages += schedule.count;
    }
  }

  const Summary& summary() const override { return summary_; }
  std::unique_ptr<Source> read_messages(const Query& query, const Wait& /*wait*/) const override {
    return std::make_unique<DemoSource>(recording_, query);
  }

 private:
  std::shared_ptr<const Recording> recording_;
  Summary summary_;
};

BagPtr open(const Location& location, const Session&) {
  require_known(location);
  double seconds = number(location, "seconds", 10, kMostSeconds);
  auto seed = static_cast<std::uint64_t>(number(location, "seed", 1, 0x1p53));
  auto second = static_cast<std::int64_t>(number(location, "start", kDefaultStart, UINT32_MAX));
  Time start{std::chrono::seconds(second)};
  auto recording = std::make_shared<Recording>(seed, start);
  Channels channels;
  for (const Topic& topic : topics()) {
    auto slot = static_cast<std::uint32_t>(channels.size());
    channels.push_back(make_channel(topic, slot));
    Schedule schedule;
    schedule.first = start + slot * kApart;
    schedule.count = seconds > 0 ? 1 : 0;
    if (!topic.parameter.empty()) {
      double rate = number(location, std::string(topic.parameter), topic.rate, kMostRate);
      schedule.count = static_cast<std::uint64_t>(std::ceil(seconds * rate));
      if (rate > 0) schedule.period = Duration(static_cast<std::int64_t>(std::llround(1e9 / rate)));
    }
    recording->schedules.push_back(schedule);
  }
  recording->channels = std::make_shared<const Channels>(std::move(channels));
  return std::make_shared<const DemoBag>(std::move(recording));
}

}  // namespace

Transport transport() {
  Transport made;
  made.scheme = "demo";
  made.open = open;
  return made;
}

}  // namespace kitbag::demo
