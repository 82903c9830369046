#include "storage/chunked/open_chunk.h"

#include <gtest/gtest.h>

#include <atomic>

#include "storage/chunked/source.h"

namespace kitbag {
namespace {

constexpr std::size_t kPayload = 1000;
constexpr std::size_t kMessages = 1000;  ///< in a chunk

/// Chunks of a megabyte that all span the whole time; counts the bytes of those in memory.
class OverlappingStore final : public ChunkStore {
 public:
  explicit OverlappingStore(std::size_t chunks) {
    auto channel = std::make_shared<Channel>();
    channel->topic = "/a";
    channels_ = std::make_shared<const Channels>(Channels{channel});
    for (std::size_t i = 0; i < chunks; ++i) {
      auto count = static_cast<std::uint32_t>(table_.counts.size());
      table_.chunks.push_back({i, time_of(i, 0), time_of(i, kMessages - 1), count, 1});
      table_.counts.push_back({0, kMessages});
    }
  }

  Time time_of(std::size_t chunk, std::size_t message) const {
    return from_ns(static_cast<std::int64_t>(message * 1000 + chunk % 7));
  }

  const ChunkTable& table() const override { return table_; }
  const ChannelsPtr& channels() const override { return channels_; }
  void load(std::size_t chunk, const Wanted& wanted, LoadedChunk& into,
            const Fetch& /*fetch*/) const override {
    ++loads;
    live += kPayload * kMessages;
    most_live = std::max(most_live, live);
    auto* bytes = new std::byte[kPayload * kMessages];
    std::fill_n(bytes, kPayload * kMessages, static_cast<std::byte>(chunk));
    into.owner = std::shared_ptr<std::byte[]>(bytes, [this](std::byte* block) {
      delete[] block;
      live -= kPayload * kMessages;
    });
    into.base = bytes;
    into.bytes_pinned = kPayload * kMessages;
    for (std::size_t i = 0; i < kMessages; ++i) {
      Time time = time_of(chunk, i);
      if (!wanted.has(time)) continue;
      into.messages.push_back({channels_->front().get(),
                               static_cast<std::uint32_t>(chunk),
                               0,
                               time,
                               time,
                               {bytes + i * kPayload, kPayload}});
    }
  }
  bool positions(std::size_t, const Wanted&, std::vector<Position>&) const override {
    return false;
  }
  ChunkSummary summarize(std::size_t) const override { return {}; }
  Error damage(std::size_t, const std::string& message) const override {
    return {ErrorCode::corrupt, message};
  }
  const ReadOptions& options() const override { return options_; }

  mutable std::size_t loads = 0;
  mutable std::size_t live = 0;
  mutable std::size_t most_live = 0;

 private:
  ChunkTable table_;
  ChannelsPtr channels_;
  ReadOptions options_;
};

/// (time, chunk) of each message, in the order given.
std::vector<std::pair<std::int64_t, std::uint32_t>> read_keys(
    const std::shared_ptr<const OverlappingStore>& store, const Query& query) {
  std::vector<std::pair<std::int64_t, std::uint32_t>> keys;
  auto source = read_chunks(store, query);
  for (Batch batch; source->read(batch, {}); batch.clear()) {
    for (const Message& message : batch.messages()) {
      EXPECT_EQ(message.data.back(), static_cast<std::byte>(message.sequence));
      keys.emplace_back(to_ns(message.log_time), message.sequence);
    }
  }
  return keys;
}

TEST(OpenChunk, ManyThatOverlapAreInMemoryInPart) {
  constexpr std::size_t kChunks = 100;
  auto store = std::make_shared<const OverlappingStore>(kChunks);
  auto keys = read_keys(store, {});
  ASSERT_EQ(keys.size(), kChunks * kMessages);
  EXPECT_TRUE(std::is_sorted(keys.begin(), keys.end()));
  EXPECT_LT(store->most_live, 48U << 20);
  EXPECT_LT(store->loads, 20 * kChunks);
  EXPECT_EQ(store->live, 0U);
}

TEST(OpenChunk, InReverseToo) {
  auto store = std::make_shared<const OverlappingStore>(60);
  auto forward = read_keys(store, {});
  Query query;
  query.order = Order::reverse_time;
  auto backward = read_keys(store, query);
  std::reverse(backward.begin(), backward.end());
  EXPECT_EQ(forward, backward);
}

TEST(OpenChunk, BeginsInTheMiddle) {
  auto store = std::make_shared<const OverlappingStore>(60);
  auto all = read_keys(store, {});
  Query query;
  query.nth = 31'234;
  query.count = 20'000;
  auto part = read_keys(store, query);
  auto begin = all.begin() + static_cast<std::ptrdiff_t>(query.nth);
  EXPECT_EQ(part, decltype(all)(begin, begin + static_cast<std::ptrdiff_t>(query.count)));
}

TEST(OpenChunk, FewAreLoadedOnce) {
  auto store = std::make_shared<const OverlappingStore>(20);
  EXPECT_EQ(read_keys(store, {}).size(), 20 * kMessages);
  EXPECT_EQ(store->loads, 20U);
}

}  // namespace
}  // namespace kitbag
