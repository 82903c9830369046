#include "storage/chunked/chunk_loader.h"

#include <gmock/gmock.h>

#include <atomic>
#include <set>
#include <stop_token>
#include <thread>

#include "storage/chunked/source.h"

namespace kitbag {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Ge;
using ::testing::Le;

constexpr std::size_t kChunkBytes = 1000;

/// Chunks of one message each, whose bytes all equal the number of the chunk. Some are damaged, and
/// some cannot be read at all.
class NumberedStore final : public ChunkStore {
 public:
  explicit NumberedStore(std::uint32_t chunks, bool is_packed = true) : is_packed_(is_packed) {
    auto channel = std::make_shared<Channel>();
    channel->topic = "/a";
    channels_ = std::make_shared<const Channels>(Channels{channel});
    for (std::uint32_t i = 0; i < chunks; ++i) {
      table_.chunks.push_back({i, from_ns(i), from_ns(i), i, 1});
      table_.counts.push_back({0, 1});
    }
    options_.threads = 3;
    options_.on_problem = [this](const Error& problem) {
      EXPECT_EQ(std::this_thread::get_id(), reader_);
      reported.push_back(problem.message());
    };
  }

  const ChunkTable& table() const override { return table_; }
  const ChannelsPtr& channels() const override { return channels_; }
  void load(std::size_t chunk, const Wanted&, LoadedChunk& into,
            const Fetch& fetch) const override {
    throw_if_stopped({fetch.stop});
    ++loads;
    if (unreadable.contains(chunk)) throw Error(ErrorCode::io, "cannot be read");
    if (damaged.contains(chunk)) into.problems.push_back(damage(chunk, std::to_string(chunk)));
    auto bytes =
        std::make_shared<std::vector<std::byte>>(bytes_pinned, static_cast<std::byte>(chunk));
    into.messages.push_back({channels_->front().get(),
                             static_cast<std::uint32_t>(chunk),
                             0,
                             from_ns(static_cast<std::int64_t>(chunk)),
                             {},
                             *bytes});
    into.bytes_pinned = bytes_pinned;
    into.base = bytes->data();
    into.is_packed = is_packed_;
    into.owner = std::move(bytes);
  }
  void prefetch(std::uint64_t offset, std::uint64_t size) const override {
    prefetched.emplace_back(offset, size);
  }
  bool positions(std::size_t, const Wanted&, std::vector<Position>&) const override {
    return false;
  }
  ChunkSummary summarize(std::size_t) const override { return {}; }
  Error damage(std::size_t, const std::string& message) const override {
    return {ErrorCode::corrupt, message};
  }
  const ReadOptions& options() const override { return options_; }
  ReadOptions& options() { return options_; }

  ChunkTable& table() { return table_; }

  mutable std::vector<std::pair<std::uint64_t, std::uint64_t>> prefetched;
  std::set<std::size_t> damaged;
  std::set<std::size_t> unreadable;
  std::size_t bytes_pinned = kChunkBytes;
  std::vector<std::string> reported;
  mutable std::atomic<std::size_t> loads = 0;

 private:
  bool is_packed_;
  std::thread::id reader_ = std::this_thread::get_id();
  ChunkTable table_;
  ChannelsPtr channels_;
  ReadOptions options_;
};

/// The numbers of the messages given, each of which must hold its number.
std::vector<std::uint32_t> numbers(Source& source) {
  std::vector<std::uint32_t> read;
  for (Batch batch; source.read(batch, {}); batch.clear()) {
    for (const Message& message : std::as_const(batch).messages()) {
      EXPECT_EQ(message.data.back(), static_cast<std::byte>(message.sequence));
      read.push_back(message.sequence);
    }
  }
  return read;
}

std::string read_until_thrown(Source& source) {
  std::size_t read = 0;
  Batch batch;
  try {
    for (; source.read(batch, {}); batch.clear()) read += batch.messages().size();
    return "nothing was thrown";
  } catch (const Error& error) {
    read += batch.messages().size();
    return std::to_string(read) + " messages, then: " + error.message();
  }
}

std::vector<std::uint32_t> up_to(std::uint32_t count) {
  std::vector<std::uint32_t> all(count);
  for (std::uint32_t i = 0; i < count; ++i) all[i] = i;
  return all;
}

TEST(ChunkLoader, GivesThePlanInOrderAndLoadsEachChunkOnce) {
  auto store = std::make_shared<NumberedStore>(500);
  EXPECT_EQ(numbers(*read_chunks(store, {})), up_to(500));
  EXPECT_EQ(store->loads, 500U);
}

TEST(ChunkLoader, AChunkThatWasStoppedComesNextAgain) {
  auto store = std::make_shared<NumberedStore>(100);
  ChunkLoader loader(store, Wanted{.slots = {1}}, up_to(100));
  std::stop_source stop;
  stop.request_stop();
  for (std::uint32_t i = 0; i < 100; ++i) {
    LoadedChunk loaded;
    bool is_loaded = loader.load_next(loaded, stop.get_token());
    EXPECT_FALSE(i == 0 && is_loaded) << "a thread may have loaded the others before";
    ASSERT_TRUE(is_loaded || loader.load_next(loaded));
    ASSERT_EQ(loaded.messages.front().sequence, i);
  }
  EXPECT_TRUE(loader.is_at_end());
  EXPECT_EQ(store->loads, 100U);
}

TEST(ChunkLoader, DamageIsToldInOrderOnTheReadersThread) {
  auto store = std::make_shared<NumberedStore>(300);
  store->damaged = {7, 100, 101, 299};
  EXPECT_EQ(numbers(*read_chunks(store, {})), up_to(300));
  EXPECT_THAT(store->reported, ElementsAre("7", "100", "101", "299"));
}

TEST(ChunkLoader, StrictReadingStopsAtTheFirstDamageAndNotBefore) {
  auto store = std::make_shared<NumberedStore>(300);
  store->damaged = {150, 151};
  store->options().on_problem = {};
  Query query;
  query.order = Order::file;
  EXPECT_EQ(read_until_thrown(*read_chunks(store, query)), "150 messages, then: 150");
}

TEST(ChunkLoader, WhatAThreadThrowsComesWhereTheChunkWouldHave) {
  auto store = std::make_shared<NumberedStore>(300);
  store->unreadable = {200};
  Query query;
  query.order = Order::file;
  EXPECT_EQ(read_until_thrown(*read_chunks(store, query)), "200 messages, then: cannot be read");
}

TEST(ChunkLoader, AQueryLoadsNoChunkBehindItsRangeWhereTheTimesAreSure) {
  auto store = std::make_shared<NumberedStore>(100);
  Query query;
  query.begin = from_ns(10);
  query.end = from_ns(12);
  store->table().are_times_sure = true;
  EXPECT_THAT(numbers(*read_chunks(store, query)), ElementsAre(10, 11));
  EXPECT_EQ(store->loads, 2U);
  store->loads = 0;
  store->table().are_times_sure = false;
  numbers(*read_chunks(store, query));
  EXPECT_EQ(store->loads, 3U);
}

TEST(ChunkLoader, TheFirstMessageLoadsOneChunkWhereTheTimesAreSure) {
  auto store = std::make_shared<NumberedStore>(100);
  store->table().are_times_sure = true;
  auto pool = shared_threads();
  Query query;
  query.count = 1;
  EXPECT_THAT(numbers(*read_chunks(store, query)), ElementsAre(0));
  pool.reset();  // joins
  EXPECT_EQ(store->loads, 1U);
}

/// How many chunks were loaded for a reader that has taken `taken` of them.
std::size_t loads_behind(NumberedStore& store, std::uint32_t taken) {
  Wanted wanted;
  wanted.slots = {1};
  auto shared = std::shared_ptr<const ChunkStore>(std::shared_ptr<void>(), &store);
  {
    auto pool = shared_threads();  // ends with the reader and this
    ChunkLoader chunks(shared, wanted, up_to(500));
    for (LoadedChunk loaded; taken > 0; --taken) {
      loaded.clear();
      chunks.load_next(loaded);
    }
  }
  return store.loads;
}

TEST(ChunkLoader, GoesAheadAsFarAsTheReaderHasComeAndBounded) {
  NumberedStore store(500);
  EXPECT_THAT(loads_behind(store, 1), Le(2U));
  store.loads = 0;
  EXPECT_THAT(loads_behind(store, 100), AllOf(Ge(100U), Le(106U)));
}

TEST(ChunkLoader, LargeChunksAreNotHeldInNumbers) {
  NumberedStore store(500);
  store.bytes_pinned = ChunkLoader::kAheadBytes / 2 + 1;
  EXPECT_THAT(loads_behind(store, 10), Le(11U));
  store.loads = 0;
  store.bytes_pinned = ChunkLoader::kAheadBytes + 1;
  EXPECT_EQ(loads_behind(store, 10), 10U);
}

TEST(ChunkLoader, OfChunksThatAreNotCompressedTheSystemIsToldWhichComeNext) {
  NumberedStore store(100, false);
  constexpr std::uint64_t kSize = ChunkLoader::kPrefetchBytes / 4;
  for (std::size_t i = 0; i < 100; ++i) store.table().chunks[i].offset = i * kSize;
  loads_behind(store, 1);
  EXPECT_THAT(store.prefetched,
              ElementsAre(std::pair(kSize, kSize), std::pair(2 * kSize, kSize),
                          std::pair(3 * kSize, kSize), std::pair(4 * kSize, kSize)));
  store.prefetched.clear();
  loads_behind(store, 50);
  ASSERT_EQ(store.prefetched.size(), 53U);  // each once, four ahead
  for (std::size_t i = 0; i < 53; ++i) EXPECT_EQ(store.prefetched[i].first, (i + 1) * kSize);
  NumberedStore packed(100);
  loads_behind(packed, 50);
  EXPECT_TRUE(packed.prefetched.empty());
}

TEST(ChunkLoader, NothingIsDoneAheadWithOneThreadOrWithoutCompression) {
  NumberedStore one(500);
  one.options().threads = 1;
  EXPECT_EQ(loads_behind(one, 20), 20U);
  NumberedStore plain(500, false);
  EXPECT_EQ(loads_behind(plain, 20), 20U);
}

TEST(ChunkLoader, AReaderThatGoesAwayLeavesNoWork) {
  for (int round = 0; round < 50; ++round) {
    auto store = std::make_shared<NumberedStore>(100);
    store->bytes_pinned = 1 << 20;
    std::weak_ptr<const ChunkStore> watched = store;
    auto pool = shared_threads();
    auto source = read_chunks(store, {});
    Batch batch;
    EXPECT_TRUE(source->read(batch, {}));
    source.reset();
    batch.clear();
    store.reset();
    pool.reset();  // joins
    EXPECT_TRUE(watched.expired());
  }
}

}  // namespace
}  // namespace kitbag
