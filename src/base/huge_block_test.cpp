#include "base/huge_block.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <memory>

namespace kitbag {
namespace {

constexpr std::size_t kThird = HugeBlock::kBytes / 3;

TEST(HugeBlocks, PartsFollowEachOtherUntilTheBlockIsFull) {
  HugeBlocks blocks;
  auto first = blocks.cut(kThird);
  auto second = blocks.cut(kThird);
  auto third = blocks.cut(HugeBlock::kBytes - 2 * kThird);
  auto fourth = blocks.cut(kThird);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(first.memory.data()) % HugeBlock::kBytes, 0U);
  EXPECT_EQ(second.memory.data(), first.memory.data() + kThird);
  EXPECT_EQ(third.memory.data(), second.memory.data() + kThird);
  EXPECT_EQ(third.block, first.block);
  EXPECT_NE(fourth.block, first.block);
}

TEST(HugeBlocks, ABlockGoesWithItsLastPart) {
  HugeBlocks blocks;
  auto first = blocks.cut(kThird);
  auto second = blocks.cut(2 * kThird);
  std::weak_ptr<HugeBlock> watched = first.block;
  blocks.cut(HugeBlock::kBytes);
  first.block.reset();
  EXPECT_FALSE(watched.expired());
  second.block.reset();
  EXPECT_TRUE(watched.expired());
}

TEST(HugeBlocks, ThePagesOfAPartAreGivenBackAlone) {
  HugeBlocks blocks;
  auto first = blocks.cut(kThird);
  auto second = blocks.cut(kThird);
  std::memset(first.memory.data(), 1, kThird);
  std::memset(second.memory.data(), 2, kThird);
  HugeBlock::give_back(first.memory);
  EXPECT_EQ(first.memory[0], std::byte{0});
  EXPECT_EQ(first.memory[kThird - 1], std::byte{1}) << "its last page is the second's, too";
  EXPECT_EQ(second.memory[0], std::byte{2});
  EXPECT_EQ(second.memory[kThird - 1], std::byte{2});
}

TEST(HugeBlocks, TheSharedOnesGoWithTheirLastUser) {
  auto blocks = shared_blocks();
  EXPECT_EQ(shared_blocks(), blocks);
  std::weak_ptr<HugeBlocks> watched = blocks;
  blocks.reset();
  EXPECT_TRUE(watched.expired());
}

}  // namespace
}  // namespace kitbag
