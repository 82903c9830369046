#include "kitbag/codec.h"

#include <gtest/gtest.h>

#include <cstring>
#include <thread>

#include "kitbag/error.h"
#include "tests/support/thrown_by.h"

namespace kitbag {
namespace {

ByteView put(Arena& arena, std::size_t size, char fill) {
  arena.begin();
  std::memset(arena.extend(size), fill, size);
  return arena.end();
}

bool is_filled(ByteView payload, char with) {
  for (std::byte each : payload) {
    if (std::to_integer<char>(each) != with) return false;
  }
  return true;
}

TEST(Arena, PayloadsStayWhereTheyAreUntilTheirOwnerGoes) {
  Arena arena;
  ByteView first = put(arena, 100'000, 'a');
  ByteView second = put(arena, 300'000, 'b');  // does not fit behind the first
  Owner batch = arena.release();
  ByteView third = put(arena, 300'000, 'c');
  EXPECT_TRUE(is_filled(first, 'a'));
  EXPECT_TRUE(is_filled(second, 'b'));
  std::thread([owner = std::move(batch)]() mutable { owner.reset(); }).join();
  put(arena, 300'000, 'd');
  EXPECT_TRUE(is_filled(third, 'c'));
}

TEST(Arena, AnOpenPayloadGrowsBeyondItsBlock) {
  Arena arena;
  put(arena, 200'000, 'a');
  arena.begin();
  for (int i = 0; i < 5; ++i) std::memset(arena.extend(100'000), 'a' + i, 100'000);
  arena.shrink(50'000);
  ASSERT_EQ(arena.open().size(), 450'000U);
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_TRUE(is_filled(arena.end().subspan(100'000 * i, 50'000), static_cast<char>('a' + i)));
  }
}

#ifndef __SANITIZE_ADDRESS__
TEST(Arena, MemoryComesBackWithTheOwner) {
  Arena arena;
  const std::byte* first = put(arena, 1000, 'a').data();
  Owner batch = arena.release();
  EXPECT_NE(put(arena, 1000, 'b').data(), first);
  Owner other = arena.release();
  batch.reset();
  EXPECT_EQ(put(arena, 1000, 'c').data(), first);
}
#endif

TEST(Arena, AnOwnerMayOutliveIt) {
  Owner batch;
  ByteView payload;
  {
    Arena arena;
    payload = put(arena, 1000, 'a');
    batch = arena.release();
  }
  EXPECT_TRUE(is_filled(payload, 'a'));
}

TEST(Arena, APayloadStaysInProportionToWhatItIsMadeFrom) {
  Arena arena;
  arena.limit_for(1000);
  std::size_t most = Arena::most_for(1000);
  put(arena, most, 'a');
  EXPECT_EQ(test::thrown_by([&] { put(arena, most + 1, 'b'); }).code(), ErrorCode::limit);
  arena.begin();
  arena.extend(most);
  EXPECT_EQ(test::thrown_by([&] { arena.extend(1 << 20); }).code(), ErrorCode::limit);
}

TEST(Arena, AnOpenPayloadThatGrowsLeavesNoBlocksBehind) {
  Arena arena;
  arena.begin();
  for (int i = 0; i < 100; ++i) arena.extend(100'000);
  EXPECT_LT(arena.size(), 20'000'000U);
}

}  // namespace
}  // namespace kitbag
