#include "live/listen/turns.h"

#include <algorithm>
#include <utility>

#include "kitbag/feed.h"

// Inputs are polled: a feed wakes the reader that waits in it, and here one reader stands before
// all. It sleeps for Feed::kGather, during which a feed would let messages gather anyhow.
//
// The slots of an input are its own. `mapped` leads from them to the channels of the common table,
// where channels of equal content are one. Counts are read by any thread and use `mapped` too, so
// it is the one part of an input that needs the lock. Messages get their new channel in place; the
// payloads are not touched.
//
// The input after the one that gave the last batch is asked first. With a fixed order, a first
// system that always has something would starve the others.

namespace kitbag {

void Turns::add(const ChannelsPtr& channels, bool is_companion) {
  Input& input = inputs_.emplace_back();
  input.is_companion = is_companion;
  take_channels(input, channels);
}

void Turns::replace(std::size_t index, const ChannelsPtr& channels) {
  Input& input = inputs_[index];
  {
    std::lock_guard lock(mutex_);
    input.mapped.clear();
  }
  input.given.reset();
  take_channels(input, channels);
}

ChannelsPtr Turns::channels() const {
  std::lock_guard lock(mutex_);
  return table_.channels();
}

bool Turns::read(Batch& batch, const Wait& wait) {
  while (true) {
    bool is_over = true;
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      std::size_t index = (next_ + i) % inputs_.size();
      Input& input = inputs_[index];
      if (input.has_ended) continue;
      input.has_ended = !read_input_(index, batch, wait.stop);
      is_over &= input.has_ended || input.is_companion;
      if (input.has_ended || !take(input, batch)) continue;
      next_ = (index + 1) % inputs_.size();
      return true;
    }
    if (is_over) return false;
    SteadyTime now = clock_->steady();
    if (wait.stop.stop_requested() || now >= wait.until) return true;
    clock_->sleep({wait.stop, std::min(wait.until, now + Feed::kGather)});
  }
}

void Turns::add_counts(std::size_t input, const std::vector<std::uint64_t>& counts,
                       std::vector<std::uint64_t>& sums) const {
  std::lock_guard lock(mutex_);
  sums.resize(table_.channels()->size());
  const auto& mapped = inputs_[input].mapped;
  for (std::size_t slot = 0; slot < std::min(counts.size(), mapped.size()); ++slot) {
    if (mapped[slot]) sums[mapped[slot]->slot] += counts[slot];
  }
}

/// Moves a batch to the channels of the table. False: there is nothing in it.
bool Turns::take(Input& input, Batch& batch) {
  bool is_declaring = take_channels(input, std::exchange(batch.channels, nullptr));
  if (batch.empty() && batch.extras.empty() && !is_declaring) return false;
  for (Message& message : batch.messages()) {
    message.channel = input.mapped[message.channel->slot];
  }
  batch.channels = channels();
  return true;
}

/// Returns whether there are new ones.
bool Turns::take_channels(Input& input, ChannelsPtr given) {
  if (!given || given == input.given) return false;
  input.given = std::move(given);
  std::lock_guard lock(mutex_);
  std::size_t before = input.mapped.size();
  table_.add(*input.given, input.mapped);
  return input.mapped.size() > before;
}

}  // namespace kitbag
