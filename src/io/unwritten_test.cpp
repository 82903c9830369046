#include "io/unwritten.h"

#include <gtest/gtest.h>

#include <vector>

namespace kitbag {
namespace {

/// The end of what was written in a file of `ones` bytes and then `zeros`.
std::uint64_t end_of(std::size_t ones, std::size_t zeros) {
  std::vector<std::byte> bytes(ones, std::byte{1});
  bytes.resize(ones + zeros);
  return end_of_written(*memory_file(bytes));
}

TEST(EndOfWritten, IsTheSizeWithoutZerosAtTheEnd) {
  EXPECT_EQ(end_of(0, 0), 0U);
  EXPECT_EQ(end_of(1, 0), 1U);
  EXPECT_EQ(end_of(5000, 0), 5000U);
}

TEST(EndOfWritten, ZerosWithinABlockMayHaveBeenWritten) {
  EXPECT_EQ(end_of(5000, 3000), 8000U);
  EXPECT_EQ(end_of(5000, 3192), 8192U);
  EXPECT_EQ(end_of(5000, 3193), 8192U);
}

TEST(EndOfWritten, IsTheBlockBehindTheLastByteThatIsNotZero) {
  EXPECT_EQ(end_of(8192, 5'000'000), 8192U);
  EXPECT_EQ(end_of(3'000'001, 50'000), 3'002'368U);
}

TEST(EndOfWritten, OfNothingButZerosIsNothing) {
  EXPECT_EQ(end_of(0, 10'000), 0U);
}

}  // namespace
}  // namespace kitbag
