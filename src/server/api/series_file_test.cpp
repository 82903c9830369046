#include "server/api/series_file.h"

#include <gtest/gtest.h>
#include <zstd.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <utility>

#include "kitbag/time.h"

namespace kitbag::server {
namespace {

ReadSeries random_series(std::uint64_t buckets) {
  std::mt19937_64 random(17);
  std::normal_distribution<double> values(3, 100);
  ReadSeries read;
  read.series.start = from_ns(1'000'000'000'123);
  read.series.bucket_duration = Duration(987);
  read.series.buckets = buckets;
  read.damage = {"one sentence", ""};
  for (const char* topic : {"/a", "/b"}) {
    FieldSeries& field = read.series.fields.emplace_back(FieldSeries{topic, "x[3]"});
    for (std::uint64_t i = 0; i < buckets; ++i) {
      if (random() % 3 == 0) continue;
      field.buckets.push_back(
          {i, random() % 9 + 1, values(random), values(random), values(random), values(random)});
    }
  }
  read.series.fields[0].buckets.front().min = -std::numeric_limits<double>::infinity();
  read.series.fields.push_back({"/empty", "y"});
  return read;
}

void expect_equal(const ReadSeries& a, const ReadSeries& b) {
  EXPECT_EQ(a.series.start, b.series.start);
  EXPECT_EQ(a.series.bucket_duration, b.series.bucket_duration);
  EXPECT_EQ(a.series.buckets, b.series.buckets);
  EXPECT_EQ(a.damage, b.damage);
  ASSERT_EQ(a.series.fields.size(), b.series.fields.size());
  for (std::size_t i = 0; i < a.series.fields.size(); ++i) {
    EXPECT_EQ(a.series.fields[i].topic, b.series.fields[i].topic);
    EXPECT_EQ(a.series.fields[i].field, b.series.fields[i].field);
    EXPECT_EQ(a.series.fields[i].buckets, b.series.fields[i].buckets);
  }
}

TEST(SeriesFiles, GiveBackWhatWasStored) {
  for (std::uint64_t buckets : {std::uint64_t{10}, SeriesRequest::kMostBuckets}) {
    ReadSeries read = random_series(buckets);
    auto parsed = parse_series_file(series_file(read).value());
    ASSERT_TRUE(parsed);
    expect_equal(*parsed, read);
  }
  expect_equal(parse_series_file(series_file({}).value()).value(), {});
}

TEST(SeriesFiles, AShortenedOneIsNone) {
  std::string bytes = series_file(random_series(50)).value();
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(parse_series_file(bytes.substr(0, size))) << size;
  }
  EXPECT_FALSE(parse_series_file(bytes + "x"));
  EXPECT_FALSE(parse_series_file(bytes + bytes));
}

TEST(SeriesFiles, ADamagedOneIsNoneOrTheSame) {
  ReadSeries read = random_series(50);
  std::string bytes = series_file(read).value();
  for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    std::string damaged = bytes;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
    if (auto parsed = parse_series_file(damaged)) expect_equal(*parsed, read);
  }
}

/// The checksum is right, and what it is of is not.
TEST(SeriesFiles, AnOddOneDoesNoHarm) {
  std::string frame = series_file(random_series(5)).value();
  std::string plain(ZSTD_getFrameContentSize(frame.data(), frame.size()), '\0');
  ZSTD_decompress(plain.data(), plain.size(), frame.data(), frame.size());
  auto packed = [](const std::string& content) {
    std::string made(ZSTD_compressBound(content.size()), '\0');
    made.resize(ZSTD_compress(made.data(), made.size(), content.data(), content.size(), 1));
    return made;
  };
  ASSERT_TRUE(parse_series_file(packed(plain)));
  for (std::size_t size = 0; size < plain.size(); ++size) {
    EXPECT_FALSE(parse_series_file(packed(plain.substr(0, size)))) << size;
  }
  EXPECT_FALSE(parse_series_file(packed(plain + "x")));
  for (std::size_t at = 0; at < plain.size(); ++at) {
    for (int value : {0, 1, 0x7f, 0x80, 0xff}) {
      std::string odd = plain;
      odd[at] = static_cast<char>(value);
      auto parsed = parse_series_file(packed(odd));
      if (!parsed) continue;
      EXPECT_LE(parsed->series.buckets, SeriesRequest::kMostBuckets);
      for (const FieldSeries& field : parsed->series.fields) {
        for (const SeriesBucket& each : field.buckets) {
          EXPECT_LT(each.index, parsed->series.buckets);
        }
      }
    }
  }
  std::string bomb(200 << 20, '\0');
  EXPECT_FALSE(parse_series_file(packed(bomb)));
}

TEST(SeriesFiles, OneThatIsTooLargeIsNotMade) {
  ReadSeries read;
  read.damage = {std::string(65 << 20, 'x')};
  EXPECT_FALSE(series_file(read));
}

}  // namespace
}  // namespace kitbag::server
