#include "kitbag/series.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kitbag/arrow.h"
#include "kitbag/bag_stream.h"
#include "kitbag/error.h"
#include "kitbag/file.h"
#include "tests/support/arrow_values.h"
#include "tests/support/thrown_by.h"

namespace kitbag {
namespace {

using ::testing::HasSubstr;

const char* const kSeriesDefinition =
    "float64 x\nbool is_on\ntime stamp\nfloat32[] ranges\nint64 large\nstring name\n";

/// A message, and the value of each of kSeriesFields; NaN: it has none.
struct Known {
  std::int64_t ns = 0;
  std::vector<double> values = {};
};
const std::vector<std::string> kSeriesFields = {"x", "is_on", "stamp", "ranges[3]", "large"};

class SeriesTest : public ::testing::Test {
 protected:
  SeriesTest() {
    writer_ = create_bag_stream([this](ByteView more) { bytes_ += as_text(more); },
                                {.format = "mcap", .chunk_bytes = 4000}, session_);
  }

  void add(const ChannelPtr& channel, std::int64_t ns, std::string_view payload) {
    ByteView piece = as_bytes(payload);
    writer_->append(channel, {from_ns(ns), from_ns(ns), 0}, {&piece, 1});
  }
  static ChannelPtr channel(std::string topic, std::string definition = kSeriesDefinition) {
    auto schema = std::make_shared<Schema>(Schema{"test/Type", "ros1msg", std::move(definition)});
    return std::make_shared<const Channel>(Channel{std::move(topic), "ros1", schema});
  }

  /// Messages with random values, some NaN, and with pauses.
  BagPtr random_bag(std::size_t messages) {
    std::mt19937_64 random(17);
    std::normal_distribution<double> values(3, 100);
    ChannelPtr a = channel("/a");
    std::int64_t ns = 1'000'000'000'000;
    for (std::size_t i = 0; i < messages; ++i) {
      ns += static_cast<std::int64_t>(random() % 1'000'000 * (i % 100 == 0 ? 1000 : 1));
      double x = i % 7 == 0 ? std::nan("") : values(random);
      bool is_on = random() % 2 == 0;
      auto seconds = static_cast<std::uint32_t>(random() % 1'000'000);
      std::vector<float> ranges(random() % 8);
      for (float& each : ranges) each = static_cast<float>(values(random));
      auto large = static_cast<std::int64_t>(random() >> 12U);
      std::string payload;
      auto put = [&](auto value) {
        payload.append(reinterpret_cast<const char*>(&value), sizeof value);
      };
      put(x);
      put(static_cast<std::uint8_t>(is_on));
      put(seconds);
      put(std::uint32_t{500'000'000});
      put(static_cast<std::uint32_t>(ranges.size()));
      for (float each : ranges) put(each);
      put(large);
      put(std::uint32_t{0});
      add(a, ns, payload);
      double fourth = ranges.size() > 3 ? static_cast<double>(ranges[3]) : std::nan("");
      known_.push_back(
          {ns, {x, is_on ? 1.0 : 0.0, seconds + 0.5, fourth, static_cast<double>(large)}});
    }
    return bag();
  }
  BagPtr bag() {
    writer_->close();
    Input input;
    input.path = "test";
    input.file = memory_file(as_bytes(bytes_));
    return session_.open(input);
  }

  /// The same by going through all messages for each part.
  void expect_right(const Series& found, const SeriesRequest& request) {
    ASSERT_EQ(found.fields.size(), kSeriesFields.size());
    ASSERT_GE(found.buckets, 1U);
    EXPECT_LE(found.buckets, request.buckets);
    std::int64_t first = std::max(to_ns(request.begin), known_.front().ns);
    std::int64_t last = std::min(to_ns(request.end) - 1, known_.back().ns);
    std::int64_t width = found.bucket_duration.count();
    std::int64_t begin = to_ns(found.start);
    auto buckets = static_cast<std::int64_t>(found.buckets);
    EXPECT_LE(begin, first);
    EXPECT_GT(begin + width, first);
    EXPECT_GT(begin + width * buckets, last);
    for (std::size_t f = 0; f < kSeriesFields.size(); ++f) {
      EXPECT_EQ(found.fields[f].topic, "/a");
      EXPECT_EQ(found.fields[f].field, kSeriesFields[f]);
      auto next = found.fields[f].buckets.begin();
      for (std::int64_t i = 0; i < buckets; ++i) {
        std::vector<double> values;
        for (const Known& each : known_) {
          bool is_in = each.ns >= begin + i * width && each.ns < begin + (i + 1) * width;
          if (is_in && !std::isnan(each.values[f])) values.push_back(each.values[f]);
        }
        if (values.empty()) continue;
        ASSERT_NE(next, found.fields[f].buckets.end());
        EXPECT_EQ(next->index, static_cast<std::uint64_t>(i));
        EXPECT_EQ(next->count, values.size());
        EXPECT_EQ(next->min, *std::min_element(values.begin(), values.end()));
        EXPECT_EQ(next->max, *std::max_element(values.begin(), values.end()));
        EXPECT_EQ(next->last, values.back());
        double sum = 0;
        for (double each : values) sum += each;
        double mean = sum / static_cast<double>(values.size());
        EXPECT_NEAR(next->mean, mean, 1e-9 * (std::abs(mean) + 100));
        ++next;
      }
      EXPECT_EQ(next, found.fields[f].buckets.end());
    }
  }

  Session session_;
  std::string bytes_;
  std::unique_ptr<Writer> writer_;
  std::vector<Known> known_;
};

TEST_F(SeriesTest, IsWhatANaiveComputationFinds) {
  BagPtr whole = random_bag(3000);
  Time middle = from_ns(known_[1500].ns);
  for (auto [begin, end] : {std::pair(Time::min(), Time::max()), std::pair(Time::min(), middle),
                            std::pair(middle, Time::max()),
                            std::pair(middle, saturating_add(middle, Duration(1'000'000))),
                            std::pair(middle, saturating_add(middle, Duration(1)))}) {
    for (std::uint64_t buckets : {1U, 2U, 7U, 100U}) {
      SCOPED_TRACE(testing::Message() << to_ns(begin) << " to " << to_ns(end) << ": " << buckets);
      SeriesRequest request{
          .fields = kSeriesFields, .begin = begin, .end = end, .buckets = buckets};
      expect_right(series(*whole, request, session_), request);
    }
  }
}

TEST_F(SeriesTest, ACoarserOneIsWhatReadingFinds) {
  BagPtr whole = random_bag(3000);
  Series finest =
      series(*whole, {.fields = kSeriesFields, .buckets = SeriesRequest::kMostBuckets}, session_);
  Time middle = from_ns(known_[1500].ns);
  for (auto [begin, end] : {std::pair(Time::min(), Time::max()), std::pair(Time::min(), middle),
                            std::pair(middle, Time::max())}) {
    for (std::uint64_t buckets : {1U, 2U, 7U, 100U}) {
      SeriesRequest request{
          .fields = kSeriesFields, .begin = begin, .end = end, .buckets = buckets};
      auto coarse = coarser_series(finest, whole->summary(), request);
      ASSERT_TRUE(coarse);
      Series read = series(*whole, request, session_);
      EXPECT_EQ(coarse->start, read.start);
      EXPECT_EQ(coarse->bucket_duration, read.bucket_duration);
      EXPECT_EQ(coarse->buckets, read.buckets);
      expect_right(*coarse, request);
    }
  }
  Time soon = saturating_add(middle, Duration(1'000'000));
  EXPECT_FALSE(
      coarser_series(finest, whole->summary(),
                     {.fields = kSeriesFields, .begin = middle, .end = soon, .buckets = 100}));
}

TEST_F(SeriesTest, WithoutMessagesInTheRangeThereAreNoParts) {
  BagPtr whole = random_bag(10);
  Series none = series(*whole, {.fields = {"x"}, .end = from_ns(5)}, session_);
  EXPECT_EQ(none.buckets, 0U);
  ASSERT_EQ(none.fields.size(), 1U);
  EXPECT_TRUE(none.fields[0].buckets.empty());
}

TEST_F(SeriesTest, TimesCanBeAtBothEnds) {
  ChannelPtr b = channel("/b", "uint8 n\n");
  add(b, 0, "\1");
  add(b, 1, "\2");
  add(b, INT64_MAX - 1, "\3");
  BagPtr whole = bag();
  for (std::uint64_t buckets : {1U, 2U, 3U, 1000U, 65536U}) {
    Series found = series(*whole, {.fields = {"n"}, .buckets = buckets}, session_);
    std::uint64_t count = 0;
    for (const SeriesBucket& each : found.fields.at(0).buckets) count += each.count;
    EXPECT_LE(found.buckets, buckets);
    EXPECT_EQ(count, 3U) << buckets;
  }
}

TEST_F(SeriesTest, EveryTopicHasItsFields) {
  ChannelPtr b = channel("/b", "uint8 n\nuint8 m\n");
  ChannelPtr c = channel("/c", "uint8 n\n");
  add(b, 10, "\1\2");
  add(c, 20, "\3");
  BagPtr whole = bag();
  Series found = series(*whole, {.fields = {"m", "n"}, .buckets = 1}, session_);
  std::string all;
  for (const FieldSeries& each : found.fields) {
    all += each.topic + '.' + each.field + '=' + std::to_string(each.buckets.at(0).last) + ' ';
  }
  EXPECT_EQ(all, "/b.m=2.000000 /b.n=1.000000 /c.n=3.000000 ");
}

TEST_F(SeriesTest, TheMeanOfEqualValuesIsThatValue) {
  ChannelPtr b = channel("/b", "float64 n\n");
  double tenth = 0.1;
  std::string payload(reinterpret_cast<const char*>(&tenth), sizeof tenth);
  for (std::int64_t i = 0; i < 1000; ++i) add(b, i, payload);
  BagPtr whole = bag();
  for (std::uint64_t buckets : {1U, 7U}) {
    Series found = series(*whole, {.fields = {"n"}, .buckets = buckets}, session_);
    for (const SeriesBucket& each : found.fields.at(0).buckets) EXPECT_EQ(each.mean, 0.1);
  }
}

TEST_F(SeriesTest, TheMeanOfVeryLargeValuesDoesNotOverflow) {
  ChannelPtr b = channel("/b", "float64 n\n");
  for (double value : {1.5e308, -1.5e308, 1.5e308, -1.5e308}) {
    add(b, 10, {reinterpret_cast<const char*>(&value), sizeof value});
  }
  BagPtr whole = bag();
  Series found = series(*whole, {.fields = {"n"}, .buckets = 1}, session_);
  EXPECT_NEAR(found.fields.at(0).buckets.at(0).mean / 1e308, 0, 1e-15);
}

TEST_F(SeriesTest, WhatCannotBeDecodedIsReported) {
  ChannelPtr b = channel("/b", "uint8 n\n");
  add(b, 10, "\1");
  add(b, 20, "");
  BagPtr whole = bag();
  TranscodeReport report;
  Series found = series(*whole, {.fields = {"n"}, .buckets = 1, .report = &report}, session_);
  EXPECT_EQ(found.fields.at(0).buckets.at(0).count, 1U);
  EXPECT_EQ(report.topics["/b"].skipped, 1U);
}

TEST_F(SeriesTest, WhatIsAskedWronglyIsSaid) {
  BagPtr whole = random_bag(10);
  auto refused = [&](const SeriesRequest& request) {
    return test::thrown_by([&] { series(*whole, request, session_); });
  };
  EXPECT_EQ(refused({.fields = {"rangs[3]"}}).code(), ErrorCode::not_found);
  EXPECT_THAT(refused({.fields = {"rangs[3]"}}).message(), HasSubstr("ranges"));
  for (const char* field : {"name", "ranges", "ranges[]", "stamp..x"}) {
    EXPECT_EQ(refused({.fields = {field}}).code(), ErrorCode::invalid) << field;
  }
  EXPECT_EQ(refused({}).code(), ErrorCode::invalid);
  EXPECT_EQ(refused({.fields = {"x"}, .buckets = 0}).code(), ErrorCode::invalid);
  EXPECT_EQ(refused({.fields = {"x"}, .buckets = 65537}).code(), ErrorCode::invalid);
  std::vector<std::string> many(17, "x");
  EXPECT_EQ(refused({.fields = many}).code(), ErrorCode::limit);
}

TEST_F(SeriesTest, EndsWhenItTakesTooLongOrIsStopped) {
  BagPtr whole = random_bag(10);
  SeriesRequest request{.fields = {"x"}, .most_time = Duration(-1)};
  EXPECT_EQ(test::thrown_by([&] { series(*whole, request, session_); }).code(), ErrorCode::limit);
  std::stop_source stop;
  stop.request_stop();
  request.most_time = Duration::max();
  EXPECT_EQ(test::thrown_by([&] { series(*whole, request, session_, {stop.get_token()}); }).code(),
            ErrorCode::cancelled);
}

TEST(SeriesColumns, HaveARowForEachPartWithValues) {
  Series series{.start = from_ns(1000), .bucket_duration = Duration(10), .buckets = 5};
  const double infinite = std::numeric_limits<double>::infinity();
  series.fields = {{.topic = "/a", .field = "x"},
                   {.topic = "/b",
                    .field = "y",
                    .buckets = {{.index = 1, .count = 2, .min = -1, .max = 3, .mean = 1, .last = 3},
                                {.index = 4, .count = 1, .min = 5, .max = infinite}}}};
  auto columns = series_columns(series);
  test::Released<ArrowSchema> schema;
  columns->schema(&schema);
  ASSERT_EQ(schema->n_children, 8);
  EXPECT_STREQ(schema->children[2]->format, "tsn:");
  std::string_view metadata(schema->metadata, 100);
  EXPECT_THAT(metadata, HasSubstr("kitbag.start_time"));
  test::Released<ArrowArray> batch;
  ASSERT_TRUE(columns->next(&batch));
  ASSERT_EQ(batch->length, 2);
  auto& child = batch->children;
  EXPECT_EQ(test::bytes_at(*child[0], 1), "/b");
  EXPECT_EQ(test::bytes_at(*child[1], 1), "y");
  EXPECT_EQ(test::element<std::int64_t>(*child[2], 1, 0), 1010);
  EXPECT_EQ(test::element<std::int64_t>(*child[2], 1, 1), 1040);
  EXPECT_EQ(test::element<std::uint64_t>(*child[3], 1, 0), 2U);
  EXPECT_EQ(test::element<double>(*child[4], 1, 0), -1);
  EXPECT_EQ(test::element<double>(*child[5], 1, 1), infinite);
  EXPECT_EQ(test::element<double>(*child[6], 1, 0), 1);
  EXPECT_EQ(test::element<double>(*child[7], 1, 0), 3);
  test::Released<ArrowArray> none;
  EXPECT_FALSE(columns->next(&none));
}

}  // namespace
}  // namespace kitbag
