#include "storage/chunked/chunk_pipe.h"

#include <gtest/gtest.h>

#include <string>

namespace kitbag {
namespace {

constexpr std::size_t kPage = 4096;

/// Where `bytes` would lie in the file behind the gap, in line or not.
bool is_in_line(ByteView bytes, std::uint64_t at) {
  return (reinterpret_cast<std::uintptr_t>(bytes.data()) - at) % kPage == 0;
}

TEST(LendingGap, BringsTheLargestPieceIntoLine) {
  std::string memory(4 * kLendBytes, 'x');
  ByteView all = as_bytes(memory);
  for (std::size_t least : {7U, 9U}) {
    for (std::size_t shift = 0; shift < 2 * kPage; shift += 501) {
      ByteView pieces[] = {all.first(100), all.subspan(shift, kLendBytes + 1),
                           all.subspan(3 * kLendBytes, kLendBytes)};
      for (std::uint64_t at : {0U, 13U, 4095U, 1'000'000U}) {
        auto gap = lending_gap(pieces, at, kPage, least);
        ASSERT_TRUE(gap);
        EXPECT_TRUE(*gap == 0 || *gap >= least);
        EXPECT_LT(*gap, kPage + least);
        EXPECT_TRUE(is_in_line(pieces[1], at + *gap + 100));
      }
    }
  }
}

TEST(LendingGap, IsNoneWhereNothingIsLent) {
  std::string memory(2 * kLendBytes, 'x');
  ByteView small = as_bytes(memory).first(kLendBytes - 1);
  ByteView large = as_bytes(memory);
  EXPECT_FALSE(lending_gap(std::span(&small, 1), 0, kPage, 7));
  EXPECT_FALSE(lending_gap(std::span(&large, 1), 0, 0, 7)) << "nothing is written from there";
  EXPECT_FALSE(lending_gap({}, 0, kPage, 7));
}

class Pipe : public testing::Test {
 protected:
  static WriteOptions options() {
    WriteOptions options;
    options.chunk_bytes = 1000;
    return options;
  }
  void put(std::size_t bytes) {
    ChunkBuilder& chunk = pipe_.chunk(0);
    chunk.bytes.extend(bytes);
    chunk.add({}, Time());
  }

  ChunkPipe pipe_{options(), 5000, [](ChunkBuilder&) {}};
};

TEST_F(Pipe, ARecordThatFillsAChunkGetsOneOfItsOwn) {
  EXPECT_FALSE(pipe_.closes_before(0, 2000)) << "there is nothing to close";
  put(200);
  EXPECT_FALSE(pipe_.closes_before(0, 2000)) << "what is there is worth no chunk";
  put(100);
  EXPECT_FALSE(pipe_.closes_before(0, 900));
  EXPECT_TRUE(pipe_.closes_before(0, 1000));
}

TEST_F(Pipe, AChunkStaysBelowItsLimit) {
  put(200);
  EXPECT_FALSE(pipe_.closes_before(0, 4800));
  EXPECT_TRUE(pipe_.closes_before(0, 4801));
}

}  // namespace
}  // namespace kitbag
