#include "storage/chunked/source.h"

#include <algorithm>
#include <deque>
#include <limits>
#include <optional>
#include <utility>

#include "model/has_bookmarks.h"
#include "storage/chunked/chunk_loader.h"
#include "storage/chunked/open_chunk.h"
#include "storage/chunked/plan.h"
#include "storage/chunked/reading.h"

// Open chunks are merged by a heap. A message's rank is its time, or the negative of it when time
// runs backwards, so one comparison serves both directions; in file order all ranks are equal and
// the chunk's number decides. The best chunk gives messages in a run, up to a bound:
//
//     best chunk     10 11 12 13 | 20 21      given at once: 10 to 13
//     second best    14 ...                   one of the two children of the heap's root
//     not open yet   declared to begin at 19
//
// Up to that bound no message is compared with anything but the bound. Where chunks do not overlap,
// a whole chunk is one run.
//
// Equal times are decided by the number of the chunk, and within a chunk by the place, so the order
// is the same for every reader. A tie against a chunk that is not open cannot be decided; it is
// opened.
//
// A batch ends early, before another chunk is loaded, if it keeps half a megabyte alive: the
// consumer then still finds the messages in its core's cache.

namespace kitbag {

void LoadedChunk::clear() {
  owner.reset();
  bytes_pinned = 0;
  base = nullptr;
  messages.clear();
  in_time_order = true;
  is_packed = false;
}

namespace {

constexpr std::int64_t kNoRank = std::numeric_limits<std::int64_t>::max();

/// Open chunks may together take kOpenBytes, or four times the largest of them; but for the latter
/// no more than kManyOpenBytes, or than the largest and kOpenBytes.
constexpr std::size_t kOpenBytes = 32 << 20;
constexpr std::size_t kManyOpenBytes = 128 << 20;
/// A batch that keeps more than this alive is returned as it is.
constexpr std::size_t kPinnedBytes = 8 << 20;
/// One that keeps this much alive is returned before another chunk is loaded, which would push its
/// messages out of the core's cache.
constexpr std::size_t kCachedBytes = 512 << 10;

/// Messages ranked before `rank` need no comparison with other chunks.
struct Bound {
  std::int64_t rank = kNoRank;
  bool included = true;

  bool includes(std::int64_t other) const { return other < rank || (included && other == rank); }
};

class ChunkedSource final : public Source, public HasBookmarks {
 public:
  ChunkedSource(Reading reading, std::vector<Extra> extras);

  ChannelsPtr channels() const override { return channels_; }
  bool read(Batch& batch, const Wait& wait) override;
  BookmarkPtr bookmark() const override;

 private:
  using OpenChunkPtr = std::unique_ptr<OpenChunk>;

  Time time_of(const Message& message) const { return chunks_->wanted().time_of(message); }
  std::int64_t rank(Time time) const {
    return order_ == Order::reverse_time ? -to_ns(time) : to_ns(time);
  }
  std::int64_t front_rank(const OpenChunk& chunk) const {
    return order_ == Order::file ? 0 : rank(time_of(chunk.loaded.messages[chunk.front]));
  }
  bool is_later(const OpenChunkPtr& a, const OpenChunkPtr& b) const;
  std::int64_t next_rank() const;
  bool needs_another() const;
  bool open_needed(const Wait& wait);
  bool open_next(const Wait& wait);
  void load_more(OpenChunk& chunk);
  void stay_within_bounds();
  void arrange(OpenChunk& chunk);
  void sharpen_start(const LoadedChunk& loaded);
  Bound bound_of(const OpenChunk& best) const;
  void check_promise(const OpenChunk& best);
  void take_run(Batch& batch);
  void settle_front();

  std::shared_ptr<const ChunkStore> store_;
  Order order_;
  std::vector<Extra> extras_;  ///< not given yet
  ChannelsPtr channels_;
  std::shared_ptr<const std::vector<std::uint32_t>> plan_;
  std::optional<StartKey> start_;        ///< the messages before it are skipped
  std::unique_ptr<ChunkLoader> chunks_;  ///< those of reopened_, then of the plan
  std::deque<OpenPlace> reopened_;       ///< chunks that were open, and are to be again
  std::vector<OpenChunkPtr> open_;       ///< a heap, the best in front
  std::vector<OpenChunkPtr> idle_;       ///< their memory is used again
  std::uint64_t remaining_;              ///< of the query's count
  std::uint64_t batch_number_ = 0;
};

class Place final : public Bookmark {
 public:
  explicit Place(Reading reading) : reading_(std::move(reading)) {}

  std::unique_ptr<Source> read(const Wait& /*wait*/) const override {
    return std::make_unique<ChunkedSource>(reading_, std::vector<Extra>());
  }

 private:
  Reading reading_;
};

ChunkedSource::ChunkedSource(Reading reading, std::vector<Extra> extras)
    : store_(std::move(reading.store)),
      order_(reading.order),
      extras_(std::move(extras)),
      channels_(std::move(reading.channels)),
      plan_(reading.plan),
      start_(reading.start),
      chunks_(std::make_unique<ChunkLoader>(store_, std::move(reading.wanted),
                                            chunks_to_load(reading),
                                            std::move(reading.on_problem))),
      reopened_(reading.open.begin(), reading.open.end()),
      remaining_(reading.remaining) {}

BookmarkPtr ChunkedSource::bookmark() const {
  Reading reading{.store = store_,
                  .order = order_,
                  .channels = channels_,
                  .wanted = chunks_->wanted(),
                  .on_problem = chunks_->on_problem(),
                  .plan = plan_,
                  .next = plan_->size() - (chunks_->left() - reopened_.size()),
                  .open = {reopened_.begin(), reopened_.end()},
                  .start = start_,
                  .remaining = remaining_};
  for (const OpenChunkPtr& chunk : open_) {
    reading.open.push_back({chunk->index, chunk->first + chunk->front, chunk->begun});
  }
  return std::make_shared<const Place>(std::move(reading));
}

/// The heap's order: the chunk that comes later in the query's order sinks.
bool ChunkedSource::is_later(const OpenChunkPtr& a, const OpenChunkPtr& b) const {
  std::int64_t rank_a = front_rank(*a);
  std::int64_t rank_b = front_rank(*b);
  if (rank_a != rank_b) return rank_a > rank_b;
  return order_ == Order::reverse_time ? a->index < b->index : a->index > b->index;
}

/// The rank that the next unopened chunk declares for its first message.
std::int64_t ChunkedSource::next_rank() const {
  if (chunks_->is_at_end()) return kNoRank;
  const Chunk& chunk = store_->table().chunks[chunks_->next_chunk()];
  return rank(order_ == Order::reverse_time ? chunk.end : chunk.start);
}

/// The next message is not known before another chunk is open.
bool ChunkedSource::needs_another() const {
  if (chunks_->is_at_end()) return false;
  if (!reopened_.empty()) return true;
  std::size_t ahead = order_ == Order::file || store_->table().are_times_sure ? 1 : 2;
  return open_.size() < ahead ||
         (order_ != Order::file && next_rank() <= front_rank(*open_.front()));
}

/// Opens what must be open before the next message is known. False: it was stopped.
bool ChunkedSource::open_needed(const Wait& wait) {
  while (needs_another()) {
    if (wait.stop.stop_requested() || !open_next(wait)) return false;
  }
  return true;
}

/// False: it was stopped.
bool ChunkedSource::open_next(const Wait& wait) {
  OpenChunkPtr chunk;
  if (idle_.empty()) {
    chunk = std::make_unique<OpenChunk>();
  } else {
    chunk = std::move(idle_.back());
    idle_.pop_back();
  }
  chunk->index = chunks_->next_chunk();
  LoadedChunk memory = std::move(chunk->loaded);
  *chunk = OpenChunk{.index = chunk->index, .loaded = std::move(memory)};
  chunk->loaded.clear();
  if (!chunks_->load_next(chunk->loaded, wait.stop)) return false;
  arrange(*chunk);
  if (!reopened_.empty()) {
    const OpenPlace& place = reopened_.front();
    chunk->front = std::min(place.message, chunk->loaded.messages.size());
    chunk->begun = place.has_begun;
    reopened_.pop_front();
  }
  if (chunk->is_used_up()) {
    idle_.push_back(std::move(chunk));
    return true;
  }
  open_.push_back(std::move(chunk));
  std::push_heap(open_.begin(), open_.end(),
                 [this](const auto& a, const auto& b) { return is_later(a, b); });
  stay_within_bounds();
  return true;
}

/// Of a chunk that is in memory in part, the next part.
void ChunkedSource::load_more(OpenChunk& chunk) {
  std::size_t place = chunk.next_place();
  chunk.loaded.clear();
  chunks_->load(chunk.index, chunk.loaded);
  arrange(chunk);
  chunk.front = std::min(place, chunk.loaded.messages.size());
  chunk.first = 0;
  chunk.has_more = false;
  chunk.kept_by_batch = 0;
  stay_within_bounds();
}

/// Many chunks that overlap are kept in part only.
void ChunkedSource::stay_within_bounds() {
  std::size_t held = 0;
  std::size_t largest = 0;
  for (const OpenChunkPtr& chunk : open_) {
    held += chunk->bytes_held();
    largest = std::max(largest, chunk->bytes_held());
  }
  std::size_t most =
      std::max(kOpenBytes, std::min(4 * largest, std::max(kManyOpenBytes, largest + kOpenBytes)));
  if (held <= most) return;
  // Half of the limit, so that the next chunk fits and does not shrink all of them again.
  std::size_t share = most / 2 / open_.size();
  for (OpenChunkPtr& chunk : open_) {
    if (chunk->bytes_held() > share) chunk->shrink(share);
  }
}

/// Puts the messages into the query's order and skips those before its start.
void ChunkedSource::arrange(OpenChunk& chunk) {
  std::vector<Message>& messages = chunk.loaded.messages;
  if (order_ != Order::file && !chunk.loaded.in_time_order) {
    std::stable_sort(messages.begin(), messages.end(), [this](const Message& a, const Message& b) {
      return time_of(a) < time_of(b);
    });
  }
  if (order_ == Order::reverse_time) std::reverse(messages.begin(), messages.end());
  if (!start_) return;
  if (chunk.index == start_->position.chunk) sharpen_start(chunk.loaded);
  auto skipped = [&](const Message& message) {
    auto offset = static_cast<std::uint32_t>(message.data.data() - chunk.loaded.base);
    return start_->skips({time_of(message), chunk.index, offset});
  };
  auto first = std::partition_point(messages.begin(), messages.end(), skipped);
  chunk.front = static_cast<std::size_t>(first - messages.begin());
}

/// An index places a message only roughly; now that its chunk is here, exactly: by its payload.
void ChunkedSource::sharpen_start(const LoadedChunk& loaded) {
  std::uint32_t& offset = start_->position.offset;
  auto exact = std::numeric_limits<std::uint32_t>::max();
  for (const Message& message : loaded.messages) {
    auto place = static_cast<std::uint32_t>(message.data.data() - loaded.base);
    if (place >= offset) exact = std::min(exact, place);
  }
  offset = exact;
}

/// How far the best chunk may run on before another one has to be looked at.
Bound ChunkedSource::bound_of(const OpenChunk& best) const {
  if (order_ == Order::file) return {};
  // Ties against a chunk that is not open yet are settled by opening it.
  Bound bound{next_rank(), false};
  for (std::size_t child = 1; child < std::min<std::size_t>(3, open_.size()); ++child) {
    std::int64_t other = front_rank(*open_[child]);
    bool wins_tie = (best.index < open_[child]->index) != (order_ == Order::reverse_time);
    if (other < bound.rank) {
      bound = {other, wins_tie};
    } else if (other == bound.rank) {
      bound.included = bound.included && wins_tie;
    }
  }
  return bound;
}

/// Reports a difference between the index and the chunk.
void ChunkedSource::check_promise(const OpenChunk& best) {
  if (start_ && time_of(best.loaded.messages[best.front]) != start_->position.time) {
    chunks_->report(store_->damage(
        best.index, "the index lists another message at this place than the chunk holds"));
  }
  start_.reset();
}

/// Adds messages of the front chunk to a batch that is not full.
void ChunkedSource::take_run(Batch& batch) {
  OpenChunk& best = *open_.front();
  std::vector<Message>& messages = best.loaded.messages;
  if (!best.begun) check_promise(best);
  best.begun = true;
  if (best.kept_by_batch != batch_number_) {
    batch.keep(best.loaded.owner, best.loaded.bytes_pinned);
    best.kept_by_batch = batch_number_;
  }
  Bound bound = bound_of(best);
  auto within = [&](const Message& message) { return bound.includes(rank(time_of(message))); };
  bool runs_to_end = order_ == Order::file || within(messages.back());
  std::span<const Message> left = std::span(messages).subspan(best.front);
  std::uint64_t most = std::min<std::uint64_t>(
      {left.size(), remaining_, kBatchMessages - std::as_const(batch).messages().size()});
  std::size_t count = 0;
  std::size_t payload = batch.payload();
  do {
    payload += left[count++].data.size();
  } while (count < most && payload < kBatchBytes && (runs_to_end || within(left[count])));
  batch.add(left.first(count));
  best.front += count;
  remaining_ -= count;
  settle_front();
}

/// Moves the front chunk, which has advanced, to its place in the heap, or releases it.
void ChunkedSource::settle_front() {
  auto later = [this](const auto& a, const auto& b) { return is_later(a, b); };
  OpenChunk& best = *open_.front();
  if (best.is_used_up() && best.has_more) load_more(best);
  if (best.is_used_up()) {
    // It has no rank any more, so it must leave before anything is compared.
    std::swap(open_.front(), open_.back());
    idle_.push_back(std::move(open_.back()));
    open_.pop_back();
    std::make_heap(open_.begin(), open_.end(), later);
    idle_.back()->loaded.owner.reset();
  } else if (open_.size() > 1) {
    std::pop_heap(open_.begin(), open_.end(), later);
    std::push_heap(open_.begin(), open_.end(), later);
  }
}

bool ChunkedSource::read(Batch& batch, const Wait& wait) {
  batch.channels = channels_;
  ++batch_number_;
  batch.extras = std::exchange(extras_, {});
  while (!batch.full() && batch.pinned() < kPinnedBytes && remaining_ > 0) {
    if (batch.pinned() >= kCachedBytes && needs_another()) break;
    if (!open_needed(wait)) return true;
    if (open_.empty()) break;
    take_run(batch);
  }
  return !batch.empty() || !batch.extras.empty();
}

}  // namespace

std::unique_ptr<Source> read_chunks(std::shared_ptr<const ChunkStore> store, const Query& query,
                                    std::vector<Extra> extras, const Wait& wait) {
  return std::make_unique<ChunkedSource>(reading_of(std::move(store), query, wait),
                                         std::move(extras));
}

}  // namespace kitbag
