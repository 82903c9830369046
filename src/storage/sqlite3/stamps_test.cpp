#include "storage/sqlite3/stamps.h"

#include <gtest/gtest.h>

namespace kitbag::sqlite3 {
namespace {

TEST(StampRun, KeepsEveryNumber) {
  std::vector<Stamp> written = {{0, 0},
                                {1, 1},
                                {-1, 127},
                                {63, 128},
                                {-64, 16'384},
                                {1'000'000'000, UINT32_MAX},
                                {-1'000'000'000'000, 5},
                                {INT64_MAX, 0},
                                {INT64_MIN, 1},
                                {std::int64_t{1} << 54, 2},
                                {std::int64_t{1} << 55, 3},
                                {std::int64_t{1} << 56, 4}};
  StampRun run;
  for (const Stamp& stamp : written) run.add(stamp);
  std::vector<Stamp> read;
  ASSERT_TRUE(parse_stamps(run.bytes(), read));
  ASSERT_EQ(read.size(), written.size());
  for (std::size_t i = 0; i < read.size(); ++i) {
    EXPECT_EQ(read[i].delay_ns, written[i].delay_ns) << i;
    EXPECT_EQ(read[i].sequence, written[i].sequence) << i;
  }
}

TEST(StampRun, IsNotNeededWhereItSaysNothing) {
  StampRun run;
  run.add({0, 0});
  EXPECT_FALSE(run.is_needed());
  run.add({0, 1});
  EXPECT_TRUE(run.is_needed());
  run.clear();
  run.add({0, 0});
  EXPECT_FALSE(run.is_needed());
  run.add({-5, 0});
  EXPECT_TRUE(run.is_needed());
}

TEST(ParseStamps, CutOrTooLargeMakesNoSense) {
  StampRun run;
  run.add({1'000'000, 300});
  std::vector<Stamp> read;
  for (std::size_t size = 1; size < run.bytes().size(); ++size) {
    EXPECT_FALSE(parse_stamps(run.bytes().first(size), read)) << size;
  }
  StampRun large;
  large.add({0, 0});
  std::vector<std::byte> bytes = {std::byte{0},    std::byte{0xff}, std::byte{0xff},
                                  std::byte{0xff}, std::byte{0xff}, std::byte{0x7f}};
  EXPECT_FALSE(parse_stamps(bytes, read));
}

}  // namespace
}  // namespace kitbag::sqlite3
