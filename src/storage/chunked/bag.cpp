#include "storage/chunked/bag.h"

#include <algorithm>
#include <utility>

#include "model/extras.h"
#include "storage/chunked/last_messages.h"
#include "storage/chunked/plan.h"
#include "storage/chunked/source.h"

// list_times() gives the times of all messages in order without a payload. It cannot merge by a
// heap of open chunks, because a list of times is all that it has. So the positions of each chunk
// are sorted and merged into what waits, and everything before the start of the next chunk is
// given. Where many chunks overlap, four million times wait at most; after that they are given in
// nearly the right order.

namespace kitbag {

ChunkedBag::ChunkedBag(std::shared_ptr<const ChunkStore> store, Summary summary,
                       std::shared_ptr<const ReadFile> file, std::vector<Extra> extras)
    : store_(std::move(store)),
      summary_(std::move(summary)),
      file_(std::move(file)),
      extras_(std::move(extras)) {
  const ChunkTable& table = store_->table();
  summary_.channels = store_->channels();
  summary_.chunks = store_->has_chunks() ? table.chunks.size() : 0;
  summary_.message_counts.resize(summary_.channels->size(), 0);
  if (table.are_counts_sure) {
    summary_.messages = 0;
    std::fill(summary_.message_counts.begin(), summary_.message_counts.end(), 0);
    for (const ChannelCount& count : table.counts) {
      summary_.message_counts[count.slot] += count.messages;
      summary_.messages += count.messages;
    }
  }
  bool first = true;
  for (const Chunk& chunk : table.chunks) {
    if (chunk.channels == 0) continue;
    summary_.start = first ? chunk.start : std::min(summary_.start, chunk.start);
    summary_.end = first ? chunk.end : std::max(summary_.end, chunk.end);
    first = false;
  }
}

std::unique_ptr<Source> ChunkedBag::read_messages(const Query& query, const Wait& wait) const {
  return read_chunks(store_, query, select_extras(extras_, query), wait);
}

Batch ChunkedBag::find_last(const LastQuery& query, const Wait& wait) const {
  auto found = find_last_messages(store_, query, wait);
  return found ? std::move(*found) : walk_.find_last(*this, query, wait);
}

/// If the chunks have no counts, a total was noted by the writer.
Promise ChunkedBag::promise() const {
  return {summary_.message_counts, store_->table().are_counts_sure};
}

Growth ChunkedBag::growth() const {
  if (summary_.indexed) return Growth::complete;
  return file_->size() == summary_.size_bytes ? Growth::unchanged : Growth::possible;
}

std::vector<ChunkSummary> ChunkedBag::some_chunks(std::size_t most) const {
  std::size_t step = std::max<std::size_t>(1, summary_.chunks / std::max<std::size_t>(1, most));
  std::vector<ChunkSummary> some;
  some.reserve(summary_.chunks / step + 1);
  for (std::size_t i = 0; i < summary_.chunks; i += step) some.push_back(store_->summarize(i));
  return some;
}

/// Chunks come by their start; what lies behind the start of the next one waits for it, up to a
/// limit.
void ChunkedBag::list_times(const std::vector<std::uint8_t>& slots, const OnProblem& on_problem,
                            const std::function<void(std::span<const ListedTime>)>& take,
                            const Wait& wait) const {
  constexpr std::ptrdiff_t kMostWaiting = 1 << 22;
  auto is_earlier = [](const ListedTime& a, const ListedTime& b) { return a.time < b.time; };
  Wanted wanted{.slots = slots};
  std::vector<std::uint32_t> chunks = make_plan(*store_, {}, wanted, wait).chunks;
  std::vector<Position> positions;
  std::vector<ListedTime> waiting;
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    throw_if_stopped(wait);
    positions.clear();
    add_positions(*store_, chunks[i], wanted, on_problem, wait, positions);
    auto before = static_cast<std::ptrdiff_t>(waiting.size());
    for (const Position& each : positions) waiting.push_back({each.time, each.slot});
    std::stable_sort(waiting.begin() + before, waiting.end(), is_earlier);
    std::inplace_merge(waiting.begin(), waiting.begin() + before, waiting.end(), is_earlier);
    auto end = waiting.end();
    if (i + 1 < chunks.size()) {
      ListedTime next{store_->table().chunks[chunks[i + 1]].start, 0};
      end = std::lower_bound(waiting.begin(), waiting.end(), next, is_earlier);
      if (waiting.end() - end > kMostWaiting) end = waiting.end() - kMostWaiting / 2;
    }
    take(std::span(waiting.begin(), end));
    waiting.erase(waiting.begin(), end);
  }
}

}  // namespace kitbag
