#include "kitbag/remote_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <mutex>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "io/remote/block_cache.h"
#include "kitbag/error.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/thrown_by.h"
#include "tests/support/units.h"

namespace kitbag {
namespace {

using test::kMiB;

std::vector<std::byte> content(std::size_t size) {
  std::vector<std::byte> bytes(size);
  std::uint32_t state = 7;
  for (std::byte& byte : bytes) {
    state = state * 1664525 + 1013904223;
    byte = static_cast<std::byte>(state >> 24);
  }
  return bytes;
}

/// A file in memory whose ranges come from a thread of their own, in pieces.
class FarFile final : public RangeReader {
 public:
  explicit FarFile(std::size_t size) : bytes_(content(size)) {}
  ~FarFile() override {
    for (std::thread& thread : threads_) thread.join();
  }

  std::uint64_t size() const override { return bytes_.size(); }
  std::string identity() const override { return "far"; }
  void read(std::uint64_t offset, std::uint64_t size, RangeSink sink) const override {
    std::lock_guard lock(mutex_);
    requests_.emplace_back(offset, size);
    bool fails = failures_ > 0 && failures_-- > 0;
    threads_.emplace_back([this, offset, size, sink = std::move(sink), fails] {
      ByteView all = ByteView(bytes_).subspan(offset, size);
      if (fails) all = all.first(all.size() / 3);
      for (std::size_t at = 0; at < all.size(); at += 100'000) {
        sink.take(all.subspan(at, std::min<std::size_t>(100'000, all.size() - at)));
      }
      sink.end(fails ? std::make_exception_ptr(Error(ErrorCode::io, "cut off")) : nullptr);
    });
  }

  const std::vector<std::byte>& bytes() const { return bytes_; }
  void fail(int requests) { failures_ = requests; }
  std::size_t requests() const {
    std::lock_guard lock(mutex_);
    return requests_.size();
  }
  /// Of the requests that begin behind `offset`, in order.
  std::vector<std::uint64_t> sizes_behind(std::uint64_t offset) const {
    std::lock_guard lock(mutex_);
    std::vector<std::uint64_t> sizes;
    for (const auto& [at, size] : requests_) {
      if (at > offset) sizes.push_back(size);
    }
    return sizes;
  }
  std::uint64_t requested_bytes() const {
    std::lock_guard lock(mutex_);
    return std::accumulate(requests_.begin(), requests_.end(), std::uint64_t{0},
                           [](std::uint64_t sum, const auto& each) { return sum + each.second; });
  }

 private:
  std::vector<std::byte> bytes_;
  mutable std::mutex mutex_;
  mutable std::vector<std::pair<std::uint64_t, std::uint64_t>> requests_;
  mutable std::vector<std::thread> threads_;
  mutable int failures_ = 0;
};

/// Whether `size` bytes at `offset` are those of `far`.
testing::AssertionResult reads_equal(const ReadFile& file, const FarFile& far, std::size_t offset,
                                     std::size_t size) {
  std::vector<std::byte> read(size);
  std::size_t count = file.read(offset, read);
  std::size_t there = offset < far.bytes().size() ? far.bytes().size() - offset : 0;
  if (count != std::min(size, there)) return testing::AssertionFailure() << count << " bytes";
  bool equal = std::equal(read.begin(), read.begin() + static_cast<std::ptrdiff_t>(count),
                          far.bytes().begin() + static_cast<std::ptrdiff_t>(offset));
  return equal ? testing::AssertionSuccess() : testing::AssertionFailure() << "at " << offset;
}

TEST(RemoteFile, AFileThatIsReadInOrderTakesFewRequests) {
  auto far = std::make_shared<FarFile>(30 * kMiB + 12345);
  auto file = remote_file(far, make_block_cache(64 * kMiB));
  for (std::size_t at = 0; at < far->size(); at += 100'000) {
    ASSERT_TRUE(reads_equal(*file, *far, at, 100'000));
  }
  EXPECT_LE(far->requests(), 14U);
  EXPECT_EQ(far->requested_bytes(), far->size());
}

TEST(RemoteFile, BehindTheBeginningRequestsAreWhole) {
  auto far = std::make_shared<FarFile>(120 * kMiB);
  auto file = remote_file(far, make_block_cache(64 * kMiB));
  for (std::size_t at = 0; at < far->size(); at += 700'000) {
    ASSERT_TRUE(reads_equal(*file, *far, at, 700'000));
  }
  EXPECT_THAT(far->sizes_behind(40 * kMiB),
              testing::ElementsAre(16 * kMiB, 16 * kMiB, 16 * kMiB, 16 * kMiB, 8 * kMiB));
}

TEST(RemoteFile, BlocksOnTheDiskAreNotRequestedAgain) {
  TemporaryFolder folder;
  RemoteOptions options;
  options.cache_folder = folder.path("blocks");
  auto far = std::make_shared<FarFile>(5 * kMiB + 12345);
  for (int run = 0; run < 2; ++run) {
    auto file = remote_file(far, make_block_cache(options));
    ASSERT_TRUE(reads_equal(*file, *far, 0, far->size()));
  }
  EXPECT_EQ(far->requested_bytes(), far->size());
}

TEST(RemoteFile, ThreadsShareTheDiskWithinItsBound) {
  TemporaryFolder folder;
  RemoteOptions options;
  options.cache_bytes = kMiB;
  options.cache_folder = folder.path("blocks");
  options.cache_folder_bytes = 2 * kMiB;
  options.on_warning = [](const Error& error) { ADD_FAILURE() << error.what(); };
  auto far = std::make_shared<FarFile>(5 * kMiB);
  auto work = [&](std::uint32_t seed) {
    auto file = remote_file(far, make_block_cache(options));
    std::minstd_rand random(seed);
    for (int i = 0; i < 50; ++i) EXPECT_TRUE(reads_equal(*file, *far, random() % far->size(), 777));
  };
  std::vector<std::thread> threads;
  for (std::uint32_t seed = 1; seed <= 4; ++seed) threads.emplace_back(work, seed);
  for (std::thread& thread : threads) thread.join();
}

TEST(RemoteFile, MemoryIsBounded) {
  for (std::size_t capacity : {std::size_t{1}, kMiB, 4 * kMiB}) {
    auto far = std::make_shared<FarFile>(20 * kMiB);
    auto cache = make_block_cache(capacity);
    auto file = remote_file(far, cache);
    for (std::size_t at = 0; at < far->size(); at += kMiB) {
      ASSERT_TRUE(reads_equal(*file, *far, at, kMiB));
      EXPECT_LE(cache->held_bytes(), std::max<std::size_t>(capacity, 256 << 10));
    }
  }
}

TEST(RemoteFile, SeeksReadWhatTheyTouch) {
  auto far = std::make_shared<FarFile>(50 * kMiB);
  auto file = remote_file(far, make_block_cache(64 * kMiB));
  for (std::size_t at : {40 * kMiB, 10 * kMiB, 30 * kMiB, 20 * kMiB}) {
    ASSERT_TRUE(reads_equal(*file, *far, at, 1000));
  }
  EXPECT_EQ(far->requests(), 4U);
  EXPECT_LE(far->requested_bytes(), 2 * kMiB);
}

TEST(RemoteFile, TheHeadThatIsKnownIsNotRequested) {
  auto far = std::make_shared<FarFile>(kMiB);
  auto file = remote_file(far, make_block_cache(8 * kMiB), ByteView(far->bytes()).first(65536));
  ASSERT_TRUE(reads_equal(*file, *far, 100, 4096));
  EXPECT_EQ(far->requests(), 0U);
  ASSERT_TRUE(reads_equal(*file, *far, 65000, 4096));
  EXPECT_EQ(far->requests(), 1U);
}

TEST(RemoteFile, WhatIsAnnouncedComesByOneRequest) {
  auto far = std::make_shared<FarFile>(40 * kMiB);
  auto file = remote_file(far, make_block_cache(64 * kMiB));
  file->prefetch(10 * kMiB, 6 * kMiB);
  EXPECT_EQ(far->requests(), 1U);
  for (std::size_t at = 10 * kMiB; at < 15 * kMiB; at += kMiB / 2) {
    ASSERT_TRUE(reads_equal(*file, *far, at, kMiB / 2));
  }
  EXPECT_LE(far->requests(), 4U);  // what is read ahead behind it
}

TEST(RemoteFile, WhatIsAnnouncedInPiecesComesTogether) {
  auto far = std::make_shared<FarFile>(40 * kMiB);
  auto file = remote_file(far, make_block_cache(64 * kMiB));
  constexpr std::size_t kPiece = 700'000;
  std::size_t announced = 10 * kMiB;
  for (std::size_t at = 10 * kMiB; at < 22 * kMiB; at += kPiece) {
    for (; announced < std::min(at + 8 * kMiB, 22 * kMiB); announced += kPiece) {
      file->prefetch(announced, kPiece);
    }
    ASSERT_TRUE(reads_equal(*file, *far, at, kPiece));
  }
  EXPECT_LE(far->requests(), 5U);
  EXPECT_LE(far->requested_bytes(), 18 * kMiB);
}

TEST(RemoteFile, BytesBehindTheEndAreNotThere) {
  auto far = std::make_shared<FarFile>(1000);
  auto file = remote_file(far, make_block_cache(8 * kMiB));
  EXPECT_TRUE(reads_equal(*file, *far, 900, 1000));
  EXPECT_TRUE(reads_equal(*file, *far, 1000, 10));
  EXPECT_TRUE(reads_equal(*file, *far, 5000, 10));
  auto nothing = remote_file(std::make_shared<FarFile>(0), make_block_cache(8 * kMiB));
  std::byte byte{};
  EXPECT_EQ(nothing->read(0, std::span(&byte, 1)), 0U);
}

TEST(RemoteFile, ARangeThatFailsIsAnErrorAndIsTriedAgain) {
  auto far = std::make_shared<FarFile>(3 * kMiB);
  auto file = remote_file(far, make_block_cache(8 * kMiB));
  far->fail(1);
  std::vector<std::byte> read(2 * kMiB);
  EXPECT_ERROR(io, file->read(0, read));
  EXPECT_TRUE(reads_equal(*file, *far, 0, 2 * kMiB));
}

TEST(RemoteFile, AReadMayBeLargerThanTheCache) {
  auto far = std::make_shared<FarFile>(40 * kMiB);
  auto cache = make_block_cache(4 * kMiB);
  auto file = remote_file(far, cache);
  EXPECT_TRUE(reads_equal(*file, *far, 12345, 39 * kMiB));
  EXPECT_LE(cache->held_bytes(), 8 * kMiB);  // the last request was on its way as a whole
}

TEST(RemoteFile, AFileThatIsClosedLeavesNothingInTheCache) {
  auto far = std::make_shared<FarFile>(2 * kMiB);
  auto cache = make_block_cache(8 * kMiB);
  auto file = remote_file(far, cache);
  ASSERT_TRUE(reads_equal(*file, *far, 0, kMiB));
  EXPECT_GT(cache->held_bytes(), 0U);
  file.reset();
  EXPECT_EQ(cache->held_bytes(), 0U);
}

TEST(RemoteFile, ManyThreadsReadTwoFilesByOneSmallCache) {
  auto cache = make_block_cache(2 * kMiB);
  std::vector<std::shared_ptr<FarFile>> far;
  std::vector<std::shared_ptr<const ReadFile>> files;
  for (std::size_t size : {5 * kMiB, 3 * kMiB + 7}) {
    far.push_back(std::make_shared<FarFile>(size));
    files.push_back(remote_file(far.back(), cache));
  }
  std::vector<std::thread> threads;
  std::vector<int> failed(4);
  for (unsigned seed = 0; seed < failed.size(); ++seed) {
    threads.emplace_back([&, seed] {
      std::mt19937 random(seed);
      for (int i = 0; i < 40; ++i) {
        std::size_t which = random() % 2;
        std::size_t at = random() % far[which]->bytes().size();
        if (!reads_equal(*files[which], *far[which], at, random() % 600'000)) ++failed[seed];
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(failed, testing::Each(0));
}

}  // namespace
}  // namespace kitbag
