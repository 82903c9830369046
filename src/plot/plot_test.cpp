#include "kitbag/plot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kitbag/bag_stream.h"
#include "kitbag/file.h"
#include "tests/support/thrown_by.h"
#include "tests/support/units.h"

namespace kitbag {
namespace {

using test::kSecond;
using ::testing::HasSubstr;

class PlotTest : public ::testing::Test {
 protected:
  PlotTest() {
    writer_ = create_bag_stream([this](ByteView more) { bytes_ += as_text(more); },
                                {.format = "mcap"}, session_);
  }

  static ChannelPtr channel(std::string topic, std::string definition) {
    auto schema = std::make_shared<Schema>(Schema{"test/Type", "ros1msg", std::move(definition)});
    return std::make_shared<const Channel>(Channel{std::move(topic), "ros1", schema});
  }
  template <class... Values>
  void add(const ChannelPtr& channel, std::int64_t ns, Values... values) {
    std::string payload;
    auto put = [&](auto value) {
      payload.append(reinterpret_cast<const char*>(&value), sizeof value);
    };
    (put(values), ...);
    ByteView piece = as_bytes(payload);
    writer_->append(channel, {from_ns(ns), from_ns(ns), 0}, {&piece, 1});
  }
  BagPtr bag() {
    if (!bag_) {
      writer_->close();
      Input input;
      input.path = "test";
      input.file = memory_file(as_bytes(bytes_));
      bag_ = session_.open(input);
    }
    return bag_;
  }
  Plot read(const PlotRequest& request) { return plot(bag()->read(), request, session_); }
  Error refused(const PlotRequest& request) {
    return test::thrown_by([&] { read(request); });
  }
  static std::string names(const Plot& plot) {
    std::string names;
    for (const PlotCurve& each : plot.curves) names += each.name() + ' ';
    return names;
  }

  Session session_;
  std::string bytes_;
  std::unique_ptr<Writer> writer_;
  BagPtr bag_;
};

TEST_F(PlotTest, ReadsFieldsOfSeveralTopics) {
  ChannelPtr a = channel("/a", "float64 x\nint32 n\n");
  ChannelPtr b = channel("/b", "string x\nbool is_on\n");  // another type of x
  for (int i = 0; i < 10; ++i) {
    add(a, (100 + i) * kSecond, i * 0.5, std::int32_t{i});
    add(b, (100 + i) * kSecond + 1, std::uint32_t{0}, static_cast<std::uint8_t>(i % 2));
  }
  Plot plot = read({.curves = {"/a.x", "/b.is_on", "/a.n"}});
  EXPECT_EQ(names(plot), "/a.x /b.is_on /a.n ");
  EXPECT_EQ(plot.start, from_ns(100 * kSecond));
  ASSERT_EQ(plot.curves[0].points.size(), 10U);
  EXPECT_EQ(plot.curves[0].values, 10U);
  for (std::size_t i = 0; i < 10; ++i) {
    EXPECT_NEAR(plot.curves[0].points[i].x, static_cast<double>(i), 0.001);
    EXPECT_EQ(plot.curves[0].points[i].last, static_cast<double>(i) * 0.5);
    EXPECT_EQ(plot.curves[1].points[i].last, static_cast<double>(i % 2));
  }
  EXPECT_FALSE(plot.curves[0].is_whole);
  EXPECT_TRUE(plot.curves[1].is_state);
  EXPECT_EQ(plot.curves[1].names.size(), 2U);
  EXPECT_TRUE(plot.curves[2].is_whole);
  EXPECT_FALSE(plot.curves[2].is_state);
}

TEST_F(PlotTest, NamesCanBeWrittenInSeveralWays) {
  add(channel("/a", "float64 data\nfloat32[] l\nPart part\n===\nMSG: test/Part\nfloat64 x\n"), 1,
      1.0, std::uint32_t{1}, 2.5F, 7.0);
  add(channel("/a.part", "float64 x\n"), 2, 9.0);
  add(channel("/single", "uint32 data\n"), 3, std::uint32_t{5});
  Plot plot = read({.curves = {"/a/part/x", "/a.part.x", "/a.l[0]", "/single", "/single.data"}});
  EXPECT_EQ(names(plot), "/a.part.x /a.part.x /a.l[0] /single.data ");
  EXPECT_EQ(plot.curves[0].topic, "/a");
  EXPECT_EQ(plot.curves[1].topic, "/a.part");  // the longest that it can be
}

TEST_F(PlotTest, FieldsAreOfAllTopicsThatHaveThem) {
  add(channel("/a", "float64 x\n"), 1, 1.0);
  add(channel("/b", "float64 x\nfloat64 y\n"), 2, 1.0, 2.0);
  add(channel("/c", "float64 y\n"), 3, 1.0);
  EXPECT_EQ(names(read({.fields = {"x", "y"}})), "/a.x /b.x /b.y /c.y ");
}

TEST_F(PlotTest, NaNAndInfiniteValuesAreGaps) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  ChannelPtr a = channel("/a", "float64 x\n");
  double values[] = {1, 2, kNone, 3, HUGE_VAL, 4};
  for (int i = 0; i < 6; ++i) add(a, i * kSecond, values[i]);
  std::string warning;
  Plot plot =
      read({.curves = {"/a.x"}, .on_warning = [&](const Error& e) { warning = e.message(); }});
  const auto& points = plot.curves[0].points;
  ASSERT_EQ(points.size(), 4U);
  EXPECT_TRUE(points[1].is_connected);
  EXPECT_FALSE(points[2].is_connected);
  EXPECT_FALSE(points[3].is_connected);
  EXPECT_EQ(plot.curves[0].values, 4U);
  EXPECT_EQ(plot.curves[0].infinite, 1U);
  EXPECT_EQ(warning, "/a.x: 1 infinite value is shown as gaps");
}

TEST_F(PlotTest, ManyValuesKeepTheirPeaks) {
  ChannelPtr a = channel("/a", "float64 x\n");
  constexpr int kCount = 100'000;
  for (int i = 0; i < kCount; ++i) {
    add(a, i * 1000, i == 54'321 ? 99.0 : std::sin(i / 100.0));
  }
  Plot plot = read({.curves = {"/a.x"}, .parts = 1000});
  EXPECT_LE(plot.curves[0].points.size(), 1000U);
  EXPECT_EQ(plot.curves[0].values, static_cast<std::uint64_t>(kCount));
  double greatest = 0;
  for (const PlotPoint& each : plot.curves[0].points) greatest = std::max(greatest, each.max);
  EXPECT_EQ(greatest, 99);
}

TEST_F(PlotTest, FieldsAgainstAnotherOfTheSameMessage) {
  ChannelPtr a = channel("/a", "float64 x\nfloat64 y\n");
  for (int i = 0; i < 100; ++i) add(a, i, std::cos(i), std::sin(i));
  Plot plot = read({.curves = {"/a.y"}, .against = "/a.x"});
  EXPECT_EQ(plot.against, "/a.x");
  ASSERT_EQ(plot.curves[0].points.size(), 100U);
  for (std::size_t i = 0; i < 100; ++i) {
    EXPECT_EQ(plot.curves[0].points[i].x, std::cos(static_cast<double>(i)));
    EXPECT_EQ(plot.curves[0].points[i].last, std::sin(static_cast<double>(i)));
  }
}

TEST_F(PlotTest, FieldsAgainstTheLatestOfAnotherTopic) {
  ChannelPtr a = channel("/a", "float64 x\n");
  ChannelPtr z = channel("/z", "float64 y\n");
  add(z, 5, -1.0);                    // before the first x
  for (int i = 1; i < 20'000; ++i) {  // more than are read together
    add(a, i * 10, i * 1.0);
    add(z, i * 10 + 5, i * 2.0);
  }
  Plot plot = read({.curves = {"/z.y"}, .against = "/a.x"});
  for (const PlotPoint& each : plot.curves[0].points) EXPECT_EQ(each.last, 2 * each.x);
  EXPECT_EQ(plot.curves[0].points.front().x, 1);
  EXPECT_EQ(plot.curves[0].points.back().x, 19'999);
  plot = Plot();
  bag_ = nullptr;
}

TEST_F(PlotTest, TimesCanBeThoseOfTheHeader) {
  std::string header =
      "Header header\nfloat64 x\n===\nMSG: std_msgs/Header\nuint32 seq\n"
      "time stamp\nstring frame_id\n";
  ChannelPtr a = channel("/a", header);
  for (std::uint32_t i = 0; i < 5; ++i) {
    add(a, 1000 * kSecond + i, i, std::uint32_t{10 + 2 * i}, std::uint32_t{0}, std::uint32_t{0},
        i * 1.0);
  }
  Plot plot = read({.curves = {"/a.x"}, .time = RowTime::header_stamp});
  EXPECT_EQ(plot.start, from_ns(10 * kSecond));
  EXPECT_NEAR(plot.curves[0].points.back().x, 8, 0.01);
}

TEST_F(PlotTest, WhatIsAskedWronglyIsSaid) {
  ChannelPtr a = channel("/odom", "float64 x\nfloat64 speed\nstring name\nfloat32[] ranges\n");
  add(a, 1, 1.0, 2.0, std::uint32_t{0}, std::uint32_t{0});
  EXPECT_EQ(refused({.curves = {"/odom.sped"}}).message(),
            "/odom has no field sped; similar fields: speed");
  EXPECT_EQ(refused({.curves = {"/odom.sped"}}).code(), ErrorCode::not_found);
  EXPECT_EQ(refused({.curves = {"/odon.speed"}}).message(),
            "there is no topic for the field /odon.speed; similar topics: /odom");
  EXPECT_EQ(refused({.fields = {"sped"}}).message(),
            "no selected topic has a field sped; similar fields: speed");
  EXPECT_EQ(refused({.curves = {"/odom"}}).message(),
            "name a field of /odom, such as /odom.speed; its numbers are x, speed");
  EXPECT_THAT(refused({.curves = {"/odom.name"}}).message(),
              HasSubstr("/odom.name is not a number; choose a number in it"));
  EXPECT_EQ(refused({.curves = {"/odom.ranges"}}).code(), ErrorCode::invalid);
  EXPECT_EQ(refused({.curves = {"/odom.ranges[x]"}}).code(), ErrorCode::invalid);
  EXPECT_EQ(refused({}).message(), "name at least one field to plot, such as /odom.speed");
  EXPECT_EQ(refused({.curves = {"/odom.x"}, .against = "/odom.y0"}).code(), ErrorCode::not_found);
  EXPECT_EQ(refused({.curves = {"/odom.x"}, .parts = 1}).code(), ErrorCode::invalid);
  std::vector<std::string> many;
  for (int i = 0; i < 17; ++i) many.push_back("/odom.ranges[" + std::to_string(i) + "]");
  EXPECT_EQ(refused({.curves = many}).code(), ErrorCode::limit);
}

TEST_F(PlotTest, ABagWithoutTopicsHasNoField) {
  EXPECT_EQ(refused({.curves = {"/odom.x"}}).message(), "there is no topic for the field /odom.x");
}

TEST_F(PlotTest, TheTopicsThatItNeedsAreKnownBefore) {
  add(channel("/a", "float64 x\n"), 1, 1.0);
  add(channel("/b", "float64 y\n"), 1, 1.0);
  add(channel("/c", "float64 z\n"), 1, 1.0);
  const Channels& channels = *bag()->summary().channels;
  EXPECT_EQ(plot_topics(channels, {.curves = {"/c.z"}, .against = "/a.x"}, session_),
            (std::vector<std::string>{"/a", "/c"}));
  EXPECT_EQ(test::thrown_by([&] { plot_topics(channels, {.fields = {"q"}}, session_); }).code(),
            ErrorCode::not_found);
}

TEST_F(PlotTest, ALegendThatDoesNotFitSaysHowManyThereAre) {
  std::string definition;
  std::vector<std::string> fields;
  for (char name = 'a'; name < 'k'; ++name) {
    definition += std::string("uint8 ") + name + "\n";
    fields.emplace_back(1, name);
  }
  ChannelPtr a = channel("/a_topic_with_a_name", definition);
  add(a, 1, std::uint64_t{0}, std::uint16_t{0});
  std::string text = plot_text(read({.fields = fields}), {.width = 30, .height = 8});
  EXPECT_THAT(text, HasSubstr("/a_topic_with_a_name.a\n and 9 more\n"));
}

TEST_F(PlotTest, DamagedMessagesAreHandledAsAsked) {
  ChannelPtr a = channel("/a", "float64 x\n");
  add(a, 1 * kSecond, 1.0);
  add(a, 2 * kSecond, std::uint8_t{0});
  add(a, 3 * kSecond, 3.0);
  TranscodeReport report;
  Plot plot = read({.curves = {"/a.x"}, .report = &report});
  EXPECT_EQ(plot.curves[0].points.size(), 2U);
  EXPECT_TRUE(plot.curves[0].points[1].is_connected);
  EXPECT_EQ(report.topics["/a"].skipped, 1U);
  plot = read({.curves = {"/a.x"}, .on_error = OnError::raw});
  EXPECT_FALSE(plot.curves[0].points[1].is_connected);
  EXPECT_EQ(refused({.curves = {"/a.x"}, .on_error = OnError::stop}).code(), ErrorCode::truncated);
}

TEST_F(PlotTest, EndsWhenItIsStopped) {
  add(channel("/a", "float64 x\n"), 1, 1.0);
  std::stop_source stop;
  stop.request_stop();
  auto read = [&] {
    plot(bag()->read(), {.curves = {"/a.x"}}, session_, {stop.get_token(), kNever});
  };
  EXPECT_EQ(test::thrown_by(read).code(), ErrorCode::cancelled);
}

TEST_F(PlotTest, CanBeDrawnWithoutValues) {
  add(channel("/a", "float64 x\n"), 1, std::numeric_limits<double>::quiet_NaN());
  Plot plot = read({.curves = {"/a.x"}});
  EXPECT_THAT(plot_svg(plot, {}), HasSubstr("<title>/a.x</title>"));
  EXPECT_THAT(plot_text(plot, {.width = 40, .height = 10}), HasSubstr("/a.x"));
  EXPECT_EQ(plot_png(plot, {.width = 200, .height = 100}).substr(1, 3), "PNG");
}

TEST_F(PlotTest, StylesOutOfRangeAreRefused) {
  add(channel("/a", "float64 x\n"), 1, 1.0);
  Plot plot = read({.curves = {"/a.x"}});
  auto code = [&](auto draw, const PlotStyle& style) {
    return test::thrown_by([&] { draw(plot, style); }).code();
  };
  EXPECT_EQ(code(plot_svg, {.width = 99}), ErrorCode::invalid);
  EXPECT_EQ(code(plot_svg, {.height = 16'385}), ErrorCode::invalid);
  EXPECT_EQ(code(plot_png, {.width = 16'384, .height = 16'384}), ErrorCode::limit);
  EXPECT_EQ(code(plot_text, {.width = 29, .height = 20}), ErrorCode::invalid);
  EXPECT_EQ(code(plot_text, {.width = 80, .height = 7}), ErrorCode::invalid);
  EXPECT_EQ(code(plot_svg, {.y = std::pair(1.0, 1.0)}), ErrorCode::invalid);
  EXPECT_EQ(code(plot_svg, {.y = std::pair(0.0, HUGE_VAL)}), ErrorCode::invalid);
  EXPECT_EQ(code(plot_svg, {.has_equal_scales = true, .y = std::pair(0.0, 1.0)}),
            ErrorCode::invalid);
}

TEST_F(PlotTest, TextFitsItsSize) {
  ChannelPtr a = channel("/a", "float64 x\nfloat64 y\n");
  for (int i = 0; i < 1000; ++i) add(a, i * kSecond / 100, std::sin(i / 50.0), i * 1.0);
  Plot plot = read({.curves = {"/a.x", "/a.y"}});
  for (std::uint32_t width : {30U, 80U, 213U}) {
    for (std::uint32_t height : {8U, 24U, 57U}) {
      for (bool is_titled : {false, true}) {
        std::string text = plot_text(
            plot, {.title = is_titled ? "A title" : "", .width = width, .height = height});
        EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), height) << width << 'x' << height;
        std::size_t columns = 0;
        for (char c : text) {
          bool is_inside = (static_cast<unsigned char>(c) & 0xC0U) == 0x80;
          columns = c == '\n' ? 0 : columns + (is_inside ? 0 : 1);
          EXPECT_LE(columns, width);
        }
      }
    }
  }
}

}  // namespace
}  // namespace kitbag
