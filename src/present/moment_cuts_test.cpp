#include "kitbag/moment_cuts.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <tuple>
#include <vector>

namespace kitbag {
namespace {

Moment moment(std::int64_t start_ns, std::int64_t end_ns) {
  return {.topic = "/a",
          .start = from_ns(start_ns),
          .end = from_ns(end_ns),
          .messages = 1,
          .value = {}};
}

using Cut = std::tuple<std::int64_t, std::int64_t, std::uint64_t>;

std::vector<Cut> ranges_of(Duration around, const std::vector<Moment>& moments) {
  CutRanges ranges(around);
  for (const Moment& each : moments) ranges.add(each);
  EXPECT_EQ(ranges.is_empty(), moments.empty());
  std::vector<Cut> all;
  for (const CutRange& each : ranges.take()) {
    all.emplace_back(to_ns(each.begin), to_ns(each.end), each.moments);
  }
  EXPECT_TRUE(ranges.is_empty());
  return all;
}

TEST(CutRanges, StandAlone) {
  EXPECT_EQ(ranges_of(Duration(10), {}), std::vector<Cut>());
  EXPECT_EQ(ranges_of(Duration(10), {moment(100, 120), moment(300, 300)}),
            (std::vector<Cut>{{90, 130, 1}, {290, 310, 1}}));
}

TEST(CutRanges, ThatOverlapOrTouchAreOne) {
  EXPECT_EQ(ranges_of(Duration(10), {moment(100, 100), moment(120, 120), moment(141, 141)}),
            (std::vector<Cut>{{90, 130, 2}, {131, 151, 1}}));
  // Moments come in the order of their ends, so that a long one may be the last.
  EXPECT_EQ(ranges_of(Duration(1), {moment(10, 10), moment(20, 20), moment(30, 30), moment(5, 40)}),
            (std::vector<Cut>{{4, 41, 4}}));
  EXPECT_EQ(
      ranges_of(Duration(1), {moment(30, 30), moment(10, 10), moment(12, 28), moment(90, 90)}),
      (std::vector<Cut>{{9, 31, 3}, {89, 91, 1}}));
}

TEST(CutRanges, StayWithinTime) {
  std::int64_t least = std::numeric_limits<std::int64_t>::min();
  std::int64_t most = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(ranges_of(Duration(10), {moment(least + 3, least + 3), moment(most - 3, most - 3)}),
            (std::vector<Cut>{{least, least + 13, 1}, {most - 13, most, 1}}));
}

}  // namespace
}  // namespace kitbag
