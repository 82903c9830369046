#include <gmock/gmock.h>

#include "kitbag/pipeline.h"
#include "tests/support/memory_source.h"
#include "tests/support/stamped.h"
#include "tests/support/units.h"

namespace kitbag {
namespace {

using test::kSecond;
using test::kStamped;
using ::testing::ElementsAre;

/// A message with a header: the number, the stamp and an empty frame.
std::string stamped(std::uint32_t seconds, std::uint32_t nanoseconds) {
  std::uint32_t numbers[] = {0, seconds, nanoseconds, 0};
  return {reinterpret_cast<const char*>(numbers), sizeof(numbers)};
}

struct Sent {
  std::int64_t log_ns;
  std::string payload;
};

/// Log times in seconds after the stage.
std::vector<double> aligned(const std::vector<Sent>& all, AlignReport& report,
                            const char* definition = kStamped, std::int64_t publish_ns = 7) {
  auto schema = std::make_shared<const Schema>(Schema{"test/Type", "ros1msg", definition});
  auto channel = std::make_shared<const Channel>(Channel{"/a", "ros1", schema});
  Batch batch;
  batch.channels = std::make_shared<const Channels>(Channels{channel});
  for (const Sent& each : all) {
    batch.add({channel.get(), 0, 0, from_ns(each.log_ns), from_ns(7), as_bytes(each.payload)});
  }
  Session session;
  auto stage = align_to_header(report, session);
  stage->map(channel);
  stage->apply(batch);
  std::vector<double> times;
  for (const Message& message : batch.messages()) {
    times.push_back(static_cast<double>(to_ns(message.log_time)) / 1e9);
    EXPECT_EQ(message.publish_time, from_ns(publish_ns));
  }
  return times;
}

TEST(AlignToHeader, TheStampBecomesTheLogTime) {
  AlignReport report;
  EXPECT_THAT(
      aligned({{3 * kSecond, stamped(2, 500'000'000)}, {4 * kSecond, stamped(3, 0)}}, report),
      ElementsAre(2.5, 3));
  EXPECT_EQ(report.without_stamp, 0U);
  EXPECT_EQ(report.out_of_order, 0U);
  EXPECT_FALSE(report.problem);
}

TEST(AlignToHeader, OneTimeStaysOne) {
  AlignReport report;
  EXPECT_THAT(aligned({{7, stamped(2, 0)}}, report, kStamped, 2 * kSecond), ElementsAre(2));
}

TEST(AlignToHeader, CountsWhatIsOutOfOrder) {
  AlignReport report;
  EXPECT_THAT(aligned({{5 * kSecond, stamped(4, 0)},
                       {6 * kSecond, stamped(3, 0)},
                       {7 * kSecond, stamped(3, 5)},
                       {8 * kSecond, stamped(4, 0)}},
                      report),
              ElementsAre(4, 3, 3.000000005, 4));
  EXPECT_EQ(report.out_of_order, 2U);
}

TEST(AlignToHeader, WithoutAStampTheLogTimeStays) {
  AlignReport report;
  EXPECT_THAT(aligned({{kSecond, "...."}}, report, "int32 data\n"), ElementsAre(1));
  EXPECT_THAT(aligned({{kSecond, stamped(0, 0)}}, report), ElementsAre(1));
  EXPECT_EQ(report.without_stamp, 2U);
  EXPECT_FALSE(report.problem);
}

TEST(AlignToHeader, WhatCannotBeDecodedIsReportedOnce) {
  AlignReport report;
  EXPECT_THAT(aligned({{kSecond, "x"}, {2 * kSecond, "y"}}, report), ElementsAre(1, 2));
  EXPECT_EQ(report.without_stamp, 2U);
  ASSERT_TRUE(report.problem);
  EXPECT_THAT(report.problem->what(), ::testing::HasSubstr("/a"));
}

}  // namespace
}  // namespace kitbag
