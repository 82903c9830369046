#include "model/chunk_cache.h"

#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <stop_token>
#include <thread>
#include <vector>

#include "kitbag/error.h"
#include "tests/support/thrown_by.h"

namespace kitbag {
namespace {

class ChunkCacheTest : public ::testing::Test {
 protected:
  ChunkCache::Place place(std::uint64_t offset) const { return {file_, offset}; }

  /// A chunk of `bytes`; the number of the load is what it holds.
  std::function<ChunkCache::Loaded()> loading(std::size_t bytes = 10, bool is_shareable = true) {
    return [this, bytes, is_shareable] {
      return ChunkCache::Loaded{std::make_shared<const int>(++loads_), bytes, is_shareable};
    };
  }
  int get(std::uint64_t offset, Caching caching, std::size_t bytes = 10) {
    return *static_cast<const int*>(cache_->get(place(offset), caching, loading(bytes)).get());
  }

  std::shared_ptr<const std::string> file_ = std::make_shared<const std::string>("file");
  std::shared_ptr<ChunkCache> cache_ = std::make_shared<ChunkCache>(100);
  std::atomic<int> loads_ = 0;
};

TEST_F(ChunkCacheTest, WhatIsHeldIsFoundWhetherItIsKeptOrNot) {
  Owner held = cache_->get(place(1), Caching::bypass, loading());
  EXPECT_EQ(cache_->get(place(1), Caching::bypass, loading()), held);
  EXPECT_EQ(loads_, 1);
  held.reset();
  EXPECT_EQ(get(1, Caching::bypass), 2) << "nobody had it any more";
}

TEST_F(ChunkCacheTest, WhatIsKeptIsFoundAndTheOldestGoes) {
  for (std::uint64_t offset = 0; offset < 10; ++offset) get(offset, Caching::keep);
  EXPECT_EQ(cache_->figures().kept_bytes, 100U);
  EXPECT_EQ(get(0, Caching::bypass), 1);  // and it is the newest now
  get(10, Caching::keep);
  EXPECT_EQ(cache_->figures().kept_bytes, 100U);
  EXPECT_EQ(get(0, Caching::bypass), 1);
  EXPECT_EQ(get(1, Caching::bypass), 12) << "the oldest had to go";
}

TEST_F(ChunkCacheTest, FilesOfOneNameAreOne) {
  ChunkCache::Place same{std::make_shared<const std::string>("file"), 1};
  Owner held = cache_->get(place(1), Caching::bypass, loading());
  EXPECT_EQ(cache_->get(same, Caching::bypass, loading()), held);
  same.file = std::make_shared<const std::string>("other");
  EXPECT_NE(cache_->get(same, Caching::bypass, loading()), held);
  auto unknown = memory_file({});
  EXPECT_NE(*cache_->name_of(*unknown, ""), *cache_->name_of(*unknown, ""));
}

TEST_F(ChunkCacheTest, WhoIsStoppedOnlyStopsWaiting) {
  std::latch begun(1);
  std::latch may_end(1);
  Owner got;
  std::jthread loader([&] {
    got = cache_->get(place(1), Caching::bypass, [&] {
      begun.count_down();
      may_end.wait();
      return loading()();
    });
  });
  begun.wait();
  std::stop_source stop;
  stop.request_stop();
  Fetch stopped(Caching::bypass, stop.get_token());
  EXPECT_ERROR(cancelled, cache_->get(place(1), stopped, loading()));
  may_end.count_down();
  loader.join();
  EXPECT_EQ(cache_->get(place(1), Caching::bypass, loading()), got);
  EXPECT_EQ(loads_, 1);
  EXPECT_EQ(cache_->figures().hits, 1U);
  EXPECT_EQ(cache_->figures().waits, 0U) << "it took nothing over";
}

TEST_F(ChunkCacheTest, ManyThatWantOneChunkLoadItOnce) {
  constexpr int kReaders = 8;
  std::atomic<int> arrived = 0;
  auto slow = [&] {
    while (arrived < kReaders) std::this_thread::yield();
    return loading()();
  };
  std::vector<Owner> got(kReaders);
  {
    std::vector<std::jthread> readers;
    for (int i = 0; i < kReaders; ++i) {
      readers.emplace_back([&, i] {
        ++arrived;
        got[static_cast<std::size_t>(i)] = cache_->get(place(1), Caching::bypass, slow);
      });
    }
  }
  EXPECT_EQ(loads_, 1);
  for (const Owner& each : got) EXPECT_EQ(each, got.front());
  ChunkFigures figures = cache_->figures();
  EXPECT_EQ(figures.loads, 1U);
  EXPECT_EQ(figures.hits, kReaders - 1U);
  EXPECT_LE(figures.waits, figures.hits);
}

TEST_F(ChunkCacheTest, DamagedChunksAreNotShared) {
  Owner held = cache_->get(place(1), Caching::keep, loading(10, false));
  EXPECT_NE(cache_->get(place(1), Caching::keep, loading(10, false)), held);
  EXPECT_EQ(loads_, 2);
  EXPECT_EQ(cache_->figures().kept_bytes, 0U);
}

TEST_F(ChunkCacheTest, WhatCannotBeLoadedIsTriedAgain) {
  auto failing = []() -> ChunkCache::Loaded { throw Error(ErrorCode::io, "not now"); };
  EXPECT_ERROR(io, cache_->get(place(1), Caching::keep, failing));
  EXPECT_EQ(get(1, Caching::keep), 1);
}

TEST_F(ChunkCacheTest, RoomToLoadAheadGoesFirstAndIsGivenBack) {
  for (std::uint64_t offset = 0; offset < 10; ++offset) get(offset, Caching::keep);
  auto room = cache_->reserve(70);
  ASSERT_TRUE(room);
  EXPECT_EQ(cache_->figures().kept_bytes, 30U);
  EXPECT_FALSE(cache_->reserve(31));
  room.reset();
  EXPECT_EQ(cache_->figures().reserved_bytes, 0U);
  EXPECT_TRUE(cache_->reserve(100));
}

TEST_F(ChunkCacheTest, WhatIsHeldOutlivesTheCache) {
  Owner held = cache_->get(place(1), Caching::keep, loading());
  auto room = cache_->reserve(10);
  cache_.reset();
  EXPECT_EQ(*static_cast<const int*>(held.get()), 1);
}

TEST_F(ChunkCacheTest, ReadersThatComeAndGoAtOnce) {
  std::vector<std::jthread> readers;
  for (unsigned i = 0; i < 4; ++i) {
    readers.emplace_back([&, i] {
      for (unsigned k = 0; k < 2'000; ++k) {
        auto offset = (k * 7 + i) % 13;
        get(offset, k % 3 == 0 ? Caching::keep : Caching::bypass);
        if (k % 5 == 0) cache_->reserve(20);
      }
    });
  }
  readers.clear();
  EXPECT_LE(cache_->figures().kept_bytes, 100U);
  EXPECT_EQ(cache_->figures().reserved_bytes, 0U);
}

}  // namespace
}  // namespace kitbag
