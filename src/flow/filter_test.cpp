#include <gmock/gmock.h>

#include "kitbag/pipeline.h"
#include "tests/support/source_rules.h"
#include "tests/support/thrown_by.h"

namespace kitbag {
namespace {

using test::memory_source;
using test::Sample;
using test::Samples;
using testing::ElementsAre;

/// Log times 10, 20, 30; published in the opposite order.
const Samples kTimed = {{"/imu", 10, "a", "sensor_msgs/Imu", 3},
                        {"/gps", 20, "b", "sensor_msgs/NavSatFix", 2},
                        {"/imu", 30, "c", "sensor_msgs/Imu", 1}};

Samples filtered(const Query& query, const Samples& samples = kTimed) {
  auto source = through(memory_source(samples), filter(query));
  return test::collect(*source);
}

TEST(Filter, KeepsEverythingByDefault) {
  EXPECT_EQ(filtered({}), kTimed);
}

TEST(Filter, ByTopicAndType) {
  Query query;
  query.select.topics = {"/i*"};
  EXPECT_THAT(filtered(query), ElementsAre(kTimed[0], kTimed[2]));
  query = {};
  query.select.types = {"*/NavSatFix"};
  EXPECT_THAT(filtered(query), ElementsAre(kTimed[1]));
}

TEST(Filter, TheEndOfTheRangeIsOutside) {
  Query query;
  query.begin = from_ns(10);
  query.end = from_ns(30);
  EXPECT_THAT(filtered(query), ElementsAre(kTimed[0], kTimed[1]));
  query.begin = from_ns(11);
  query.end = from_ns(31);
  EXPECT_THAT(filtered(query), ElementsAre(kTimed[1], kTimed[2]));
  query.end = query.begin;
  EXPECT_THAT(filtered(query), ElementsAre());
}

TEST(Filter, ByPublishTime) {
  Query query;
  query.by = TimeField::publish_time;
  query.begin = from_ns(2);
  EXPECT_THAT(filtered(query), ElementsAre(kTimed[0], kTimed[1]));
  query = {};
  query.by = TimeField::publish_time;
  query.end = from_ns(2);
  EXPECT_THAT(filtered(query), ElementsAre(kTimed[2]));
}

TEST(Filter, TheLargestTimeIsInAnOpenRange) {
  Samples samples = {{"/a", 1, "x"}, {"/a", INT64_MAX, "y"}};
  Query query;
  query.begin = from_ns(2);
  EXPECT_THAT(filtered(query, samples), ElementsAre(samples[1]));
}

TEST(Filter, RefusesABadExpressionAtOnce) {
  Query query;
  query.select.topic_expressions = {"("};
  EXPECT_EQ(test::thrown_by([&] { filter(query); }).code(), ErrorCode::invalid);
}

TEST(Filter, KeepsTheRulesOfSources) {
  Query query;
  query.select.topics = {"/imu"};
  query.end = from_ns(30);
  test::expect_source_rules(
      [&] { return through(memory_source(kTimed, {.batch_messages = 2}), filter(query)); });
}

}  // namespace
}  // namespace kitbag
