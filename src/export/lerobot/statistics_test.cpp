#include "export/lerobot/statistics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <initializer_list>
#include <vector>

namespace kitbag::lerobot {
namespace {

Statistics statistics_of(std::initializer_list<double> values) {
  Numbers numbers;
  for (double value : values) numbers.add({value});
  return numbers.take();
}

TEST(LeRobotStatistics, OfSeveralEpisodes) {
  Statistics first = statistics_of({1, 2, 3});
  Statistics second = statistics_of({5});
  for (const Statistics& all : {pooled({&first, &second}), pooled({&second, &first})}) {
    EXPECT_EQ(all.count, 4U);
    EXPECT_EQ(all.min, std::vector<double>{1});
    EXPECT_EQ(all.max, std::vector<double>{5});
    EXPECT_EQ(all.mean, std::vector<double>{2.75});
    EXPECT_EQ(all.quantiles[0], first.quantiles[0]);
    EXPECT_EQ(all.quantiles.back(), std::vector<double>{5});
  }
}

TEST(LeRobotStatistics, AreNoNumbersIfThoseOfAnEpisodeAreNone) {
  Statistics numbers = statistics_of({1, 2, 3});
  Statistics others = statistics_of({4, NAN});
  for (const Statistics& all : {pooled({&numbers, &others}), pooled({&others, &numbers}),
                                pooled({&numbers, &others, &numbers})}) {
    EXPECT_TRUE(std::isnan(all.min[0]));
    EXPECT_TRUE(std::isnan(all.max[0]));
    EXPECT_TRUE(std::isnan(all.mean[0]));
    EXPECT_TRUE(std::isnan(all.std[0]));
    for (const std::vector<double>& quantile : all.quantiles) {
      EXPECT_TRUE(std::isnan(quantile[0]));
    }
  }
}

}  // namespace
}  // namespace kitbag::lerobot
