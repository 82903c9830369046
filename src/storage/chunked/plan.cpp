#include "storage/chunked/plan.h"

#include <algorithm>
#include <numeric>
#include <tuple>

// Chunks are put in the order in which a query needs them, and cut into clusters: runs of chunks
// that overlap one another in time.
//
//     time      |--1--|   |---2---|            |-4-|
//                             |---3----|
//     cluster   1         2 and 3              4
//
// All messages of a cluster come before those of the next one. So to find the n-th message,
// clusters are skipped by the counts in the table, without reading anything, and only in the
// cluster where the n-th one falls the positions of the messages are listed. They are not sorted;
// nth_element() is enough to find the first one, and by `count` the last one, and chunks without
// any in between are dropped.
//
// Counts help only if they are sure and if the whole chunk is in the time range.
//
// The times in the table may be wrong by a little in rosbags: a message from just before a chunk's
// start may be in it. Therefore one more chunk behind the range is looked at.

namespace kitbag {

namespace {

using ChunkList = std::vector<std::uint32_t>;

std::uint64_t wanted_messages(const ChunkStore& store, std::uint32_t chunk, const Wanted& wanted) {
  std::uint64_t messages = 0;
  for (const ChannelCount& count : store.table().counts_of(chunk)) {
    if (wanted.has(count.slot)) messages += count.messages;
  }
  return messages;
}

/// Being listed is enough: a count of zero may be damage, which loading the chunk reveals.
bool lists_wanted(const ChunkStore& store, std::uint32_t chunk, const Wanted& wanted) {
  if (store.table().chunks[chunk].channels == Chunk::kAnyChannels) return true;
  auto counts = store.table().counts_of(chunk);
  return std::any_of(counts.begin(), counts.end(),
                     [&](const ChannelCount& count) { return wanted.has(count.slot); });
}

/// Chunks that hold wanted channels, in the order of the query, whatever their times.
ChunkList candidates(const ChunkStore& store, Order order, const Wanted& wanted) {
  const std::vector<Chunk>& chunks = store.table().chunks;
  ChunkList list;
  for (std::uint32_t i = 0; i < chunks.size(); ++i) {
    if (lists_wanted(store, i, wanted)) list.push_back(i);
  }
  if (order == Order::time) {
    std::stable_sort(list.begin(), list.end(), [&](std::uint32_t a, std::uint32_t b) {
      return chunks[a].start < chunks[b].start;
    });
  } else if (order == Order::reverse_time) {
    std::reverse(list.begin(), list.end());
    std::stable_sort(list.begin(), list.end(), [&](std::uint32_t a, std::uint32_t b) {
      return chunks[a].end > chunks[b].end;
    });
  }
  return list;
}

/// Keeps the chunks that the range touches and, where the times in the table are not sure, of those
/// that follow it in time, the nearest: real writers store messages from just before a chunk's
/// start.
void keep_range(const ChunkStore& store, const Wanted& wanted, ChunkList& list) {
  const std::vector<Chunk>& chunks = store.table().chunks;
  std::optional<std::uint32_t> next;
  if (wanted.end != Time::max() && !store.table().are_times_sure) {
    for (std::uint32_t i : list) {
      if (chunks[i].start < wanted.end) continue;
      if (!next || chunks[i].start < chunks[*next].start) next = i;
    }
  }
  std::erase_if(list, [&](std::uint32_t i) {
    const Chunk& chunk = chunks[i];
    bool before = chunk.end < wanted.begin;
    bool after = wanted.end != Time::max() && chunk.start >= wanted.end;
    return before || (after && next != i);
  });
}

/// Where the run of chunks from `first` ends that overlap one another in time.
std::size_t cluster_end(const ChunkStore& store, const ChunkList& list, std::size_t first,
                        Order order) {
  const std::vector<Chunk>& chunks = store.table().chunks;
  std::size_t last = first + 1;
  if (order == Order::file) return last;
  Time reach = order == Order::time ? chunks[list[first]].end : chunks[list[first]].start;
  for (; last < list.size(); ++last) {
    const Chunk& chunk = chunks[list[last]];
    if (order == Order::time ? chunk.start > reach : chunk.end < reach) break;
    reach = order == Order::time ? std::max(reach, chunk.end) : std::min(reach, chunk.start);
  }
  return last;
}

bool comes_before(const Position& a, const Position& b, Order order) {
  if (order == Order::file) return std::tie(a.chunk, a.offset) < std::tie(b.chunk, b.offset);
  auto key = [](const Position& p) { return std::tie(p.time, p.chunk, p.offset); };
  return order == Order::time ? key(a) < key(b) : key(b) < key(a);
}

/// The n-th message is among `positions`: leaves the chunks that hold messages from there on, and
/// no more than `count` of them. True: the query ends in this cluster.
bool start_within(std::vector<Position>& positions, const Query& query, std::uint64_t nth,
                  ChunkList& cluster, Plan& plan) {
  auto less = [&](const Position& a, const Position& b) { return comes_before(a, b, query.order); };
  auto first = positions.begin() + static_cast<std::ptrdiff_t>(nth);
  std::nth_element(positions.begin(), first, positions.end(), less);
  Position start = *first;
  auto last = positions.end();
  bool ends_here = query.count <= static_cast<std::uint64_t>(positions.end() - first);
  if (ends_here) {
    last = first + static_cast<std::ptrdiff_t>(query.count);
    if (last != positions.end()) std::nth_element(first, last, positions.end(), less);
  }
  std::vector<std::uint32_t> needed;
  for (auto it = first; it != last; ++it) needed.push_back(it->chunk);
  std::sort(needed.begin(), needed.end());
  std::erase_if(cluster, [&](std::uint32_t chunk) {
    return !std::binary_search(needed.begin(), needed.end(), chunk);
  });
  plan.start = StartKey{start, query.order};
  plan.skipped += nth;
  return ends_here;
}

bool lies_within(const Chunk& chunk, const Wanted& wanted) {
  return wanted.has(chunk.start) && wanted.has(chunk.end);
}

/// Drops the clusters that lie wholly before the n-th message.
void skip(const ChunkStore& store, const Query& query, const Wanted& wanted, const Wait& wait,
          Plan& plan) {
  ChunkList& list = plan.chunks;
  std::size_t first = 0;
  while (first < list.size() && plan.skipped < query.nth) {
    std::size_t last = cluster_end(store, list, first, query.order);
    ChunkList cluster(list.begin() + static_cast<std::ptrdiff_t>(first),
                      list.begin() + static_cast<std::ptrdiff_t>(last));
    bool whole = store.table().are_counts_sure &&
                 std::all_of(cluster.begin(), cluster.end(), [&](std::uint32_t i) {
                   return lies_within(store.table().chunks[i], wanted);
                 });
    std::uint64_t messages = 0;
    if (whole) {
      for (std::uint32_t i : cluster) messages += wanted_messages(store, i, wanted);
    }
    std::uint64_t left = query.nth - plan.skipped;
    if (!whole || messages > left) {
      std::vector<Position> positions;
      for (std::uint32_t i : cluster) {
        throw_if_stopped(wait);
        add_positions(store, i, wanted, query.on_problem, wait, positions);
      }
      messages = positions.size();
      if (messages > left) {
        bool ends_here = start_within(positions, query, left, cluster, plan);
        auto rest = ends_here ? list.end() : list.begin() + static_cast<std::ptrdiff_t>(last);
        cluster.insert(cluster.end(), rest, list.end());
        list = std::move(cluster);
        return;
      }
    }
    plan.skipped += messages;
    first = last;
  }
  list.erase(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(first));
}

}  // namespace

void add_positions(const ChunkStore& store, std::uint32_t chunk, const Wanted& wanted,
                   const OnProblem& on_problem, const Wait& wait, std::vector<Position>& into) {
  if (store.positions(chunk, wanted, into)) return;
  LoadedChunk loaded;
  store.load(chunk, wanted, loaded, {Caching::keep, wait.stop});
  report_problems(loaded, store.listener(on_problem));
  for (const Message& message : loaded.messages) {
    auto offset = static_cast<std::uint32_t>(message.data.data() - loaded.base);
    into.push_back({wanted.time_of(message), chunk, offset, message.channel->slot});
  }
}

bool StartKey::skips(const Position& here) const {
  return comes_before(here, position, order);
}

Plan make_plan(const ChunkStore& store, const Query& query, const Wanted& wanted,
               const Wait& wait) {
  Plan plan;
  plan.chunks = candidates(store, query.order, wanted);
  keep_range(store, wanted, plan.chunks);
  if (query.nth > 0) skip(store, query, wanted, wait, plan);
  return plan;
}

}  // namespace kitbag
