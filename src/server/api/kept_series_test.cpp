#include "server/api/kept_series.h"

#include <gtest/gtest.h>

#include <memory>
#include <utility>

namespace kitbag::server {
namespace {

std::shared_ptr<const ReadSeries> with_buckets(std::size_t buckets) {
  ReadSeries finest;
  finest.series.fields.push_back({"/a", "x"});
  finest.series.fields.back().buckets.resize(buckets);
  return std::make_shared<const ReadSeries>(std::move(finest));
}

TEST(KeptSeriesTest, ThoseThatWereNotAskedForLongestAreDropped) {
  KeptSeries kept(250 * sizeof(SeriesBucket));
  kept.keep("a", with_buckets(100));
  kept.keep("b", with_buckets(100));
  EXPECT_TRUE(kept.find("a"));
  kept.keep("c", with_buckets(100));
  EXPECT_TRUE(kept.find("a"));
  EXPECT_FALSE(kept.find("b"));
  EXPECT_TRUE(kept.find("c"));
}

TEST(KeptSeriesTest, OneThatIsTooLargeDropsNoOther) {
  KeptSeries kept(250 * sizeof(SeriesBucket));
  kept.keep("a", with_buckets(100));
  kept.keep("b", with_buckets(300));
  EXPECT_TRUE(kept.find("a"));
  EXPECT_FALSE(kept.find("b"));
}

TEST(KeptSeriesTest, TheSameIsKeptOnce) {
  KeptSeries kept(250 * sizeof(SeriesBucket));
  kept.keep("b", with_buckets(100));
  for (int i = 0; i < 5; ++i) kept.keep("a", with_buckets(100));
  EXPECT_TRUE(kept.find("b"));
}

}  // namespace
}  // namespace kitbag::server
