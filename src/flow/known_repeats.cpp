#include "flow/known_repeats.h"

#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "kitbag/selector.h"
#include "kitbag/text.h"
#include "model/kept_message.h"
#include "stream/repeats.h"

// Each file of a recording begins with repeats of what is latched, so that it can be used alone. Of
// files that are read together they would be duplicates:
//
//     x_0   /map = A    ...
//     x_1   /map = A (repeat)    ...    /map = B    ...      the repeat is known: x_0 has A
//     x_2   /map = B (repeat)    ...                         the repeat is known: x_1 has B
//
// But bags that are read together need not be all files of one recording. Where x_1 is missing, or
// x_2 is merged with the bag of another robot, its repeat is the only copy of B. So a repeat is
// left out only if a bag that starts earlier has the same payload, as its own repeat or as its last
// message before this bag starts, and only together with all others of its channel. Nearly always
// that is the bag in front of it, so bags are asked from the latest to the earliest.
//
// A bag that comes through a pipe cannot be asked. Its repeats stay.

namespace kitbag {
namespace {

bool is_same_topic(const Channel& a, const Channel& b) {
  return a.topic == b.topic && a.encoding == b.encoding && a.type() == b.type();
}

class RepeatFinder {
 public:
  RepeatFinder(const std::vector<BagPtr>& bags, const Wait& wait)
      : bags_(bags), wait_(wait), repeats_(bags.size()), order_(bags.size()) {
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::stable_sort(order_.begin(), order_.end(),
                     [&](std::size_t a, std::size_t b) { return start_of(a) < start_of(b); });
  }

  std::vector<std::vector<std::uint8_t>> find() {
    std::vector<std::vector<std::uint8_t>> known(bags_.size());
    for (std::size_t place = 1; place < order_.size(); ++place) {
      std::size_t bag = order_[place];
      std::set<std::uint32_t> unknown;
      for (const KeptMessage& repeat : repeats_of(bag)) {
        const Channel& channel = *channels_of(bag)[repeat.slot];
        std::size_t earlier = place;
        while (earlier > 0 && !has(order_[earlier - 1], channel, repeat, start_of(bag))) --earlier;
        if (earlier == 0) unknown.insert(repeat.slot);
        known[bag].resize(channels_of(bag).size(), 0);
        known[bag][repeat.slot] = 1;
      }
      for (std::uint32_t slot : unknown) known[bag][slot] = 0;
    }
    return known;
  }

 private:
  const Channels& channels_of(std::size_t bag) const {
    static const Channels kNone;
    const ChannelsPtr& channels = bags_[bag]->channels();
    return channels ? *channels : kNone;
  }
  Time start_of(std::size_t bag) const { return bags_[bag]->outline().start; }
  bool is_stream(std::size_t bag) const { return bags_[bag]->outline().is_stream; }

  /// A recorder writes one message to each channel of repeats, before all others. A bag that was
  /// merged may have the repeats of several in one channel.
  const std::vector<KeptMessage>& repeats_of(std::size_t bag) {
    std::optional<std::vector<KeptMessage>>& repeats = repeats_[bag];
    if (repeats) return *repeats;
    repeats.emplace();
    Query query;
    query.on_problem = [](const Error&) {};
    std::uint64_t missing = 0;
    for (const ChannelPtr& channel : channels_of(bag)) {
      if (!channel || !is_repeated(*channel)) continue;
      query.select.topics.push_back(exact_pattern(channel->topic));
      const auto& counts = bags_[bag]->outline().message_counts;
      missing += channel->slot < counts.size() ? counts[channel->slot] : 1;
    }
    if (missing == 0 || is_stream(bag)) return *repeats;
    auto source = bags_[bag]->read(query, wait_);
    for (Batch batch; missing > repeats->size() && source->read(batch, wait_); batch.clear()) {
      throw_if_stopped(wait_);
      for (const Message& message : std::as_const(batch).messages()) {
        if (is_repeated(*message.channel)) repeats->push_back(keep(message));
      }
    }
    return *repeats;
  }

  bool has(std::size_t bag, const Channel& channel, const KeptMessage& repeat, Time before) {
    for (const KeptMessage& other : repeats_of(bag)) {
      if (is_same_topic(*channels_of(bag)[other.slot], channel) && is_equal(other, repeat)) {
        return true;
      }
    }
    if (is_stream(bag)) return false;
    LastQuery query;
    query.time = saturating_add(before, Duration(1));
    query.on_problem = [](const Error&) {};
    for (const ChannelPtr& each : channels_of(bag)) {
      bool is_original = each && !is_repeated(*each) && is_same_topic(*each, channel);
      query.slots.push_back(is_original ? 1 : 0);
    }
    if (std::find(query.slots.begin(), query.slots.end(), 1) == query.slots.end()) return false;
    Batch last = bags_[bag]->find_last(query, wait_);
    return std::any_of(last.messages().begin(), last.messages().end(),
                       [&](const Message& message) { return is_equal(keep(message), repeat); });
  }

  static bool is_equal(const KeptMessage& a, const KeptMessage& b) { return *a.bytes == *b.bytes; }

  const std::vector<BagPtr>& bags_;
  const Wait& wait_;
  std::vector<std::optional<std::vector<KeptMessage>>> repeats_;  ///< by bag; absent: not asked yet
  std::vector<std::size_t> order_;                                ///< bags by their start
};

}  // namespace

std::vector<std::vector<std::uint8_t>> known_repeats(const std::vector<BagPtr>& bags,
                                                     const Wait& wait) {
  bool any = std::any_of(bags.begin(), bags.end(), [](const BagPtr& bag) {
    return bag->channels() && has_repeats(*bag->channels());
  });
  if (!any) return std::vector<std::vector<std::uint8_t>>(bags.size());
  return RepeatFinder(bags, wait).find();
}

}  // namespace kitbag
