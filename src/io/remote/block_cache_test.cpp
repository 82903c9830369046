#include "io/remote/block_cache.h"

#include <gmock/gmock.h>

#include "io/remote/disk_cache.h"

namespace kitbag {
namespace {

constexpr std::size_t kBytes = 256 << 10;

/// Completes a block of the cache, and returns where its bytes are.
const std::byte* fill(BlockCache& cache, std::uint64_t number, std::size_t size_bytes) {
  auto [block, is_new] = cache.find_or_begin(1, number, size_bytes);
  EXPECT_TRUE(is_new);
  auto bytes = cache.memory(size_bytes);
  bytes->resize(size_bytes);
  const std::byte* place = bytes->data();
  cache.complete(*block, std::move(bytes));
  return place;
}

TEST(BlockCache, ABlockGetsTheMemoryOfTheOneThatMadeRoom) {
  BlockCache cache(2 * kBytes);
  const std::byte* first = fill(cache, 0, kBytes);
  const std::byte* second = fill(cache, 1, kBytes);
  for (std::uint64_t number = 2; number < 10; number += 2) {
    EXPECT_EQ(fill(cache, number, kBytes), first);
    EXPECT_EQ(fill(cache, number + 1, kBytes), second);
  }
}

TEST(BlockCache, ASmallBlockDoesNotGetTheMemoryOfALargeOne) {
  BlockCache cache(4 * kBytes);
  for (std::uint64_t number = 0; number < 4; ++number) fill(cache, number, kBytes);
  cache.forget(1);
  EXPECT_LT(cache.memory(3000)->capacity(), 4096U);
  EXPECT_GE(cache.memory(kBytes)->capacity(), kBytes);
}

}  // namespace
}  // namespace kitbag
