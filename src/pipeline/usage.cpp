#include "kitbag/usage.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "kitbag/error.h"

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

}  // namespace

std::vector<TopicUsage> usage(Source& source, const std::stop_token& stop) {
  Usages usages;
  Batch batch;
  while (!stop.stop_requested() && source.read(batch, Wait{stop, kNever})) {
    for (const Message& message : batch.messages()) usages.add(message);
    batch.clear();
  }
  if (stop.stop_requested()) throw Error(ErrorCode::cancelled, "the counting was stopped");
  return usages.finish();
}

}  // namespace kitbag
