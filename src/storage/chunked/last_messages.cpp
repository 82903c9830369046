#include "storage/chunked/last_messages.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "storage/chunked/by_publish_time.h"
#include "storage/chunked/plan.h"

// Chunks are visited from the one that ends last. A channel is settled when its message is later
// than anything that the remaining chunks can hold. Later, not equal: a chunk that ends at the same
// time may have a message of that time at a later place of the file, and that one would be the
// last.
//
// First all places are found by the chunks' indexes, then each chunk that holds one is loaded once.
// If a chunk does not hold what its index says, the answer would be a guess; then there is none,
// and the bag is read backwards.

namespace kitbag {
namespace {

/// Which chunk holds the last message of each channel.
class LastPlaces {
 public:
  LastPlaces(const ChunkStore& store, const LastQuery& query) : store_(store), by_(query.by) {
    wanted_.slots = query.slots;
    wanted_.slots.resize(store.channels()->size(), 0);
    wanted_.end = query.time;
    wanted_.by = query.by;
    last_.resize(wanted_.slots.size());
  }

  /// False: the index does not say, or is damaged; whoever reads the messages reports that.
  bool search(const Wait& wait) {
    Query backwards;
    backwards.order = Order::reverse_time;
    for (std::uint32_t chunk : make_plan(store_, backwards, wanted_).chunks) {
      if (is_settled(bound_of(chunk))) return true;
      throw_if_stopped(wait);
      if (!look_into(chunk, wait)) return false;
    }
    return true;
  }

  /// The channels whose last message is in a chunk, by chunk.
  std::map<std::uint32_t, Wanted> chunks() const {
    std::map<std::uint32_t, Wanted> chunks;
    for (std::uint32_t slot = 0; slot < last_.size(); ++slot) {
      if (!last_[slot]) continue;
      Wanted& wanted = chunks[last_[slot]->chunk];
      if (wanted.slots.empty())
        wanted = {std::vector<std::uint8_t>(last_.size(), 0), Time::max(), wanted_.end, by_};
      wanted.slots[slot] = 1;
      wanted.begin = std::min(wanted.begin, last_[slot]->time);
    }
    return chunks;
  }

  Time time_of(std::uint32_t slot) const { return last_[slot]->time; }

 private:
  /// No requested message of this chunk is later.
  Time bound_of(std::uint32_t chunk) const {
    return std::min(store_.table().chunks[chunk].end, wanted_.end);
  }
  /// No chunk that ends by `bound` has a later message of the channel.
  bool is_settled(std::uint32_t slot, Time bound) const {
    return wanted_.slots[slot] == 0 || (last_[slot] && last_[slot]->time > bound);
  }
  bool is_settled(Time bound) const {
    for (std::uint32_t slot = 0; slot < last_.size(); ++slot) {
      if (!is_settled(slot, bound)) return false;
    }
    return true;
  }

  bool look_into(std::uint32_t chunk, const Wait& wait) {
    if (store_.table().chunks[chunk].channels == Chunk::kAnyChannels) return false;
    Wanted open = wanted_;
    std::fill(open.slots.begin(), open.slots.end(), 0);
    bool is_any = false;
    for (const ChannelCount& count : store_.table().counts_of(chunk)) {
      if (is_settled(count.slot, bound_of(chunk))) continue;
      open.slots[count.slot] = 1;
      is_any = true;
    }
    if (!is_any) return true;
    positions_.clear();
    if (!store_.positions(chunk, open, positions_) && !add_loaded(chunk, open, wait)) return false;
    for (const Position& position : positions_) {
      std::optional<Position>& last = last_[position.slot];
      if (!last || comes_before(*last, position)) last = position;
    }
    return true;
  }

  /// The chunk has no index of its own. False: it is damaged.
  bool add_loaded(std::uint32_t chunk, const Wanted& open, const Wait& wait) {
    LoadedChunk loaded;
    store_.load(chunk, open, loaded, {Caching::keep, wait.stop});
    for (const Message& message : loaded.messages) {
      auto offset = static_cast<std::uint32_t>(message.data.data() - loaded.base);
      positions_.push_back({open.time_of(message), chunk, offset, message.channel->slot});
    }
    return loaded.problems.empty();
  }

  static bool comes_before(const Position& a, const Position& b) {
    return std::tie(a.time, a.chunk, a.offset) < std::tie(b.time, b.chunk, b.offset);
  }

  const ChunkStore& store_;
  TimeField by_;
  Wanted wanted_;
  std::vector<std::optional<Position>> last_;  ///< by slot
  std::vector<Position> positions_;            ///< of one chunk
};

/// Adds the last message of each `wanted` channel of a chunk. False: the chunk is damaged, or its
/// index was wrong.
bool take_last(const ChunkStore& store, const LastPlaces& places, std::uint32_t chunk,
               const Wanted& wanted, const Wait& wait, Batch& into) {
  LoadedChunk loaded;
  store.load(chunk, wanted, loaded, {Caching::keep, wait.stop});
  if (!loaded.problems.empty()) return false;
  std::map<std::uint32_t, const Message*> last;
  for (const Message& message : loaded.messages) {
    const Message*& known = last[message.channel->slot];
    if (!known || wanted.time_of(*known) <= wanted.time_of(message)) known = &message;
  }
  for (std::uint32_t slot = 0; slot < wanted.slots.size(); ++slot) {
    if (wanted.slots[slot] == 0) continue;
    auto found = last.find(slot);
    if (found == last.end() || wanted.time_of(*found->second) != places.time_of(slot)) return false;
    into.add(*found->second);
  }
  into.keep(loaded.owner, loaded.bytes_pinned);
  return true;
}

}  // namespace

std::optional<Batch> find_last_messages(std::shared_ptr<const ChunkStore> store,
                                        const LastQuery& query, const Wait& wait) {
  LastQuery asked = query;
  if (!store->has_publish_times()) asked.by = TimeField::log_time;
  if (asked.by == TimeField::publish_time) {
    store = by_publish_time(store, store->listener(query.on_problem), wait);
  }
  LastPlaces places(*store, asked);
  if (!places.search(wait)) return std::nullopt;
  Batch batch;
  for (const auto& [chunk, wanted] : places.chunks()) {
    throw_if_stopped(wait);
    if (!take_last(*store, places, chunk, wanted, wait, batch)) return std::nullopt;
  }
  auto time_of = [&](const Message& message) {
    return asked.by == TimeField::publish_time ? message.publish_time : message.log_time;
  };
  auto messages = batch.messages();
  std::stable_sort(messages.begin(), messages.end(),
                   [&](const Message& a, const Message& b) { return time_of(a) < time_of(b); });
  batch.channels = store->channels();
  batch.compact();
  return batch;
}

}  // namespace kitbag
