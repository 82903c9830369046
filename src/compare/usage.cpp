#include "kitbag/usage.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "kitbag/error.h"

// Mean and deviation of the gaps are updated message by message (Welford). The sum of squares minus
// the square of the sum would cancel where a topic is very regular.

namespace kitbag {

namespace {

/// The usages by topic and type; a message finds its own by slot.
class Usages {
 public:
  void add(const Message& message) {
    TopicUsage& usage = of(*message.channel);
    ++usage.messages;
    usage.bytes += message.data.size();
  }

  std::vector<TopicUsage> finish() const {
    std::vector<TopicUsage> all;
    for (const auto& [name, usage] : by_name_) all.push_back(usage);
    std::stable_sort(all.begin(), all.end(),
                     [](const TopicUsage& a, const TopicUsage& b) { return a.bytes > b.bytes; });
    return all;
  }

 private:
  TopicUsage& of(const Channel& channel) {
    if (channel.slot >= by_slot_.size()) by_slot_.resize(channel.slot + 1);
    TopicUsage*& usage = by_slot_[channel.slot];
    if (usage) return *usage;
    usage = &by_name_[{channel.topic, channel.type()}];
    usage->topic = channel.topic;
    usage->type = channel.type();
    return *usage;
  }

  std::map<std::pair<std::string, std::string>, TopicUsage> by_name_;
  std::vector<TopicUsage*> by_slot_;
};

template <class OnMessage>
void read_all(Source& source, const std::stop_token& stop, OnMessage on_message) {
  Batch batch;
  while (!stop.stop_requested() && source.read(batch, Wait{stop, kNever})) {
    for (const Message& message : batch.messages()) on_message(message);
    batch.clear();
  }
  if (stop.stop_requested()) throw Error(ErrorCode::cancelled, "the counting was stopped");
}

}  // namespace

std::vector<TopicUsage> usage(Source& source, const std::stop_token& stop) {
  Usages usages;
  read_all(source, stop, [&](const Message& message) { usages.add(message); });
  return usages.finish();
}

std::vector<TopicTiming> timings(Source& source, const std::stop_token& stop) {
  struct Running {
    TopicTiming timing;
    Time last{};
    double squares = 0;  ///< of the differences from the mean (Welford)
  };
  std::map<std::pair<std::string, std::string>, Running> by_name;
  read_all(source, stop, [&](const Message& message) {
    Running& running = by_name[{message.channel->topic, message.channel->type()}];
    TopicTiming& timing = running.timing;
    timing.bytes += message.data.size();
    if (timing.messages++ > 0) {
      double gap = std::chrono::duration<double>(message.log_time - running.last).count();
      auto count = static_cast<double>(timing.messages - 1);
      double before = gap - timing.mean_s;
      timing.mean_s += before / count;
      running.squares += before * (gap - timing.mean_s);
      timing.least_s = count == 1 ? gap : std::min(timing.least_s, gap);
      timing.most_s = std::max(timing.most_s, gap);
      timing.deviation_s = std::sqrt(running.squares / count);
    }
    running.last = message.log_time;
  });
  std::vector<TopicTiming> all;
  all.reserve(by_name.size());
  for (auto& [name, running] : by_name) {
    running.timing.topic = name.first;
    running.timing.type = name.second;
    all.push_back(std::move(running.timing));
  }
  return all;
}

Summary counted_summary(const Bag& bag, const std::stop_token& stop) {
  Summary summary = bag.summary();
  if (!summary.is_stream) return summary;
  Query query;
  query.order = Order::file;
  auto source = bag.read(query);
  // A stream says nothing before its end; all of it is counted here.
  summary.message_counts.clear();
  read_all(*source, stop, [&](const Message& message) {
    std::uint32_t slot = message.channel->slot;
    if (slot >= summary.message_counts.size()) summary.message_counts.resize(slot + 1);
    ++summary.message_counts[slot];
    bool is_first = summary.messages++ == 0;
    summary.start = is_first ? message.log_time : std::min(summary.start, message.log_time);
    summary.end = is_first ? message.log_time : std::max(summary.end, message.log_time);
  });
  summary.channels = source->channels();
  summary.message_counts.resize(summary.channels->size());
  return summary;
}

}  // namespace kitbag
