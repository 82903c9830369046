#include "live/record/silent_topics.h"

#include <gmock/gmock.h>

#include "kitbag/calls.h"
#include "tests/support/memory_source.h"

namespace kitbag {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using namespace std::chrono_literals;

/// What is told of a selection when messages on these topics have come; empty: nothing.
std::string told(const Selection& asked, const test::Samples& come, Duration elapsed = 5s) {
  SilentTopics silent(asked);
  test::MemorySource source(come);
  for (Batch batch; source.read(batch, {}); batch.clear()) silent.take(batch);
  auto warning = silent.tell(elapsed);
  EXPECT_FALSE(silent.tell(2 * elapsed + 5s)) << "once";
  return warning ? warning->message() : "";
}

const test::Samples kCome{{"/a", 0, "one"}, {"/b", 1, "two"}, {"/a", 2, "three"}};

TEST(SilentTopics, NamesWhatWasAskedForAndHasNotCome) {
  Selection asked;
  asked.topics = {"/a", "/nope", "/none*"};
  asked.topic_expressions = {"/b", "/never"};
  asked.types = {"pkg/None"};
  EXPECT_EQ(
      told(asked, kCome),
      "no message has come on /nope, /none*, /never, pkg/None for 5 s; kitbag goes on waiting");
}

TEST(SilentTopics, WhatHasComeIsNotNamed) {
  Selection asked;
  asked.topics = {"/a", "/b", "/*"};
  EXPECT_EQ(told(asked, kCome), "");
  EXPECT_EQ(told({}, kCome), "");
}

TEST(SilentTopics, ASystemThatSaysNothingIsNamed) {
  EXPECT_THAT(told({}, {}), HasSubstr("no message has come on any topic for 5 s"));
}

TEST(SilentTopics, TheEndOfAShortRecordingNamesWhatNeverCame) {
  SilentTopics silent({.topics = {"/nope"}});
  EXPECT_FALSE(silent.tell(1s));
  EXPECT_EQ(silent.tell_at_end()->message(), "no message came on /nope");
  EXPECT_FALSE(silent.tell_at_end()) << "once";
  EXPECT_FALSE(SilentTopics(Selection{}).tell_at_end()) << "nothing was named";
}

TEST(SilentTopics, ANameThatTheSystemDoesNotHaveIsToldWithThoseThatItHas) {
  auto ask = [] {
    return std::optional(std::vector<LiveTopic>{{.topic = "/odom"}, {.topic = "/imu"}});
  };
  EXPECT_EQ(SilentTopics({.topics = {"/odomm", "/imu"}}).tell_at_end(ask)->message(),
            "no message came on /odomm, /imu; similar: /odom; available topics: /imu, /odom");
  EXPECT_EQ(SilentTopics({.topics = {"/odomm"}}).tell(5s, ask)->message(),
            "no message has come on /odomm for 5 s; similar: /odom; available topics: /imu, /odom; "
            "kitbag goes on waiting");
  for (const Selection& known :
       {Selection{.topics = {"/imu"}}, Selection{.topics = {action_pattern("*")}},
        Selection{.types = {"pkg/None"}}}) {
    EXPECT_THAT(SilentTopics(known).tell_at_end(ask)->message(), Not(HasSubstr("; ")));
  }
}

TEST(SilentTopics, ServiceEventsAreCalledThat) {
  EXPECT_EQ(SilentTopics({.topics = {service_pattern("*")}}).tell_at_end()->message(),
            "no service event came");
  EXPECT_EQ(SilentTopics({.topics = {"/a", service_pattern("*")}}).tell_at_end()->message(),
            "no message came on /a, and no service event");
  EXPECT_EQ(SilentTopics({.topics = {"/add/_service_event"}}).tell_at_end()->message(),
            "no message came on /add/_service_event");
}

TEST(SilentTopics, WaitsFiveSeconds) {
  SilentTopics silent(Selection{});
  EXPECT_FALSE(silent.tell(4999ms));
  EXPECT_TRUE(silent.tell(5s));
}

}  // namespace
}  // namespace kitbag
