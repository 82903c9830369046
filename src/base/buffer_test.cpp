#include "base/buffer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace kitbag {
namespace {

TEST(Buffer, StartsEmpty) {
  Buffer buffer;
  EXPECT_EQ(buffer.size(), 0U);
  EXPECT_EQ(buffer.capacity(), 0U);
  EXPECT_TRUE(buffer.view().empty());
}

TEST(Buffer, AppendsAndKeepsWhatItHad) {
  Buffer buffer;
  std::string expected;
  for (int i = 0; i < 1000; ++i) {
    std::string piece = std::to_string(i);
    buffer.append(as_bytes(piece));
    expected += piece;
  }
  EXPECT_EQ(as_text(buffer.view()), expected);
}

TEST(Buffer, GrowsByDoubling) {
  Buffer buffer;
  int moves = 0;
  std::size_t capacity = 0;
  for (int i = 0; i < 1'000'000; ++i) {
    *buffer.extend(1) = std::byte{1};
    if (buffer.capacity() != capacity) ++moves;
    capacity = buffer.capacity();
  }
  EXPECT_LE(moves, 16);
  EXPECT_LE(capacity, 2'000'000U);
}

TEST(Buffer, TakesWhatIsAskedAtOnce) {
  Buffer buffer;
  buffer.reserve(100'000);
  EXPECT_EQ(buffer.capacity(), 100'000U);
  EXPECT_EQ(buffer.size(), 0U);
}

TEST(Buffer, ShrinkingAndClearingKeepTheMemory) {
  Buffer buffer;
  buffer.resize(1000);
  const std::byte* place = buffer.data();
  buffer.resize(10);
  buffer.clear();
  EXPECT_EQ(buffer.capacity(), 1000U);
  buffer.resize(1000);
  EXPECT_EQ(buffer.data(), place);
}

TEST(Buffer, AppendingNothingAllocatesNothing) {
  Buffer buffer;
  buffer.append({});
  EXPECT_EQ(buffer.capacity(), 0U);
}

TEST(Buffer, MovingTakesTheBytes) {
  Buffer a;
  a.append(as_bytes("abc"));
  Buffer b(std::move(a));
  EXPECT_EQ(as_text(b.view()), "abc");
  Buffer c;
  c.append(as_bytes("xyz"));
  c = std::move(b);
  EXPECT_EQ(as_text(c.view()), "abc");
}

TEST(Buffer, WhatCannotBeIsRefusedAndChangesNothing) {
  Buffer buffer;
  buffer.append(as_bytes("abc"));
  EXPECT_THROW(buffer.reserve(SIZE_MAX), std::bad_alloc);
  EXPECT_THROW(buffer.reserve(SIZE_MAX / 2 + 1), std::bad_alloc);
  EXPECT_EQ(as_text(buffer.view()), "abc");
}

TEST(BufferPool, GivesBackTheBufferThatCameBack) {
  BufferPool pool(1 << 20);
  auto buffer = pool.take();
  buffer->resize(1000);
  const std::byte* place = buffer->data();
  buffer.reset();
  auto again = pool.take();
  EXPECT_EQ(again->data(), place);
  EXPECT_EQ(again->size(), 0U);
  EXPECT_EQ(again->capacity(), 1000U);
  EXPECT_EQ(pool.take()->capacity(), 0U);
}

TEST(BufferPool, KeepsNoMoreThanItMay) {
  BufferPool pool(2500);
  {
    std::vector<std::shared_ptr<Buffer>> out;
    for (int i = 0; i < 4; ++i) {
      out.push_back(pool.take());
      out.back()->resize(1000);
    }
  }
  std::size_t kept = 0;
  std::vector<std::shared_ptr<Buffer>> out;
  for (int i = 0; i < 4; ++i) {
    out.push_back(pool.take());
    kept += out.back()->capacity();
  }
  EXPECT_EQ(kept, 2000U);
}

TEST(BufferPool, ABufferThatIsTooLargeIsNotKept) {
  BufferPool pool(999);
  pool.take()->resize(1000);
  EXPECT_EQ(pool.take()->capacity(), 0U);
}

TEST(BufferPool, GivesTheOneThatHasRoom) {
  BufferPool pool(1 << 20);
  auto large = pool.take();
  large->resize(5000);
  auto small = pool.take();
  small->resize(1000);
  const std::byte* place = large->data();
  large.reset();
  small.reset();
  EXPECT_EQ(pool.take(3000)->data(), place);
  EXPECT_EQ(pool.take(6000)->capacity(), 5000U) << "one that has to grow";
}

constexpr std::size_t kChunk = 800'000;

TEST(BufferPool, BuffersOfChunksHaveMemoryOfTheirOwn) {
  BufferPool pool(16 << 20);
  std::vector<std::shared_ptr<Buffer>> buffers;
  for (int i = 0; i < 5; ++i) {
    buffers.push_back(pool.take(kChunk));
    // All that a block gave it; the address sanitizer's build cuts nothing.
    buffers.back()->resize(std::max(buffers.back()->capacity(), kChunk));
    std::memset(buffers.back()->data(), i, buffers.back()->size());
  }
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(buffers[static_cast<std::size_t>(i)]->view().front(), static_cast<std::byte>(i));
    EXPECT_EQ(buffers[static_cast<std::size_t>(i)]->view().back(), static_cast<std::byte>(i));
  }
}

TEST(BufferPool, ABufferOfABlockGrowsOutOfItAndKeepsItsBytes) {
  BufferPool pool(16 << 20);
  auto buffer = pool.take(kChunk);
  auto next = pool.take(kChunk);
  buffer->append(as_bytes("abc"));
  next->append(as_bytes("xyz"));
  buffer->resize(4 * kChunk);
  EXPECT_EQ(as_text(buffer->view().first(3)), "abc");
  std::memset(buffer->data(), 1, buffer->size());
  EXPECT_EQ(as_text(next->view()), "xyz");
  Buffer moved = std::move(*next);
  next.reset();
  EXPECT_EQ(as_text(moved.view()), "xyz");
}

TEST(BufferPool, BuffersOutliveThePool) {
  std::shared_ptr<Buffer> first;
  std::shared_ptr<Buffer> second;
  {
    BufferPool pool(1 << 20);
    first = pool.take();
    second = pool.take();
  }
  first->append(as_bytes("still here"));
  second->append(as_bytes("me too"));
  EXPECT_EQ(as_text(first->view()), "still here");
  first.reset();
  EXPECT_EQ(as_text(second->view()), "me too");
  std::shared_ptr<Buffer> of_block = BufferPool(1 << 20).take(kChunk);
  of_block->resize(kChunk);
  std::memset(of_block->data(), 1, kChunk);
}

TEST(BufferPool, LendsToManyThreads) {
  BufferPool pool(1 << 16);
  auto work = [&pool](int number) {
    for (int i = 0; i < 2000; ++i) {
      auto buffer = pool.take();
      buffer->append(as_bytes(std::to_string(number)));
      auto other = pool.take();
      other->append(as_bytes("x"));
      ASSERT_EQ(as_text(buffer->view()), std::to_string(number));
    }
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back(work, i);
  for (auto& thread : threads) thread.join();
}

}  // namespace
}  // namespace kitbag
