#include "kitbag/selector.h"

#include <gmock/gmock.h>

#include "kitbag/calls.h"
#include "kitbag/error.h"
#include "kitbag/text.h"
#include "tests/support/thrown_by.h"

namespace kitbag {
namespace {

using test::thrown_by;
using testing::HasSubstr;

Channel channel_named(const std::string& topic, const std::string& type = "std_msgs/String") {
  return {topic, "ros1", std::make_shared<const Schema>(Schema{type, "ros1msg", ""}), {}, 0};
}

bool selects(const Selection& selection, const std::string& topic) {
  return Selector(selection).matches(topic, "std_msgs/String");
}

TEST(Selector, AnEmptySelectionTakesEverything) {
  EXPECT_TRUE(selects({}, "/a"));
  EXPECT_TRUE(selects({}, ""));
}

TEST(Selector, NamesAreExact) {
  Selection selection;
  selection.topics = {"/imu", "/gps"};
  EXPECT_TRUE(selects(selection, "/imu"));
  EXPECT_TRUE(selects(selection, "/gps"));
  EXPECT_FALSE(selects(selection, "/imu/raw"));
  EXPECT_FALSE(selects(selection, "imu"));
}

TEST(Selector, GlobsGoThroughSlashes) {
  Selection selection;
  selection.topics = {"/camera/*", "/l?dar", "/imu[0-2]"};
  EXPECT_TRUE(selects(selection, "/camera/left/image"));
  EXPECT_FALSE(selects(selection, "/camera"));
  EXPECT_TRUE(selects(selection, "/lidar"));
  EXPECT_TRUE(selects(selection, "/l/dar"));
  EXPECT_TRUE(selects(selection, "/imu2"));
  EXPECT_FALSE(selects(selection, "/imu3"));
}

TEST(Selector, AGlobForServicesLeavesThoseOfActionsToThatForActions) {
  const char* service = "/add/_service_event";
  const char* goal = "/dock/_action/send_goal/_service_event";
  const char* status = "/dock/_action/status";
  Selection services{.topics = {service_pattern("*")}};
  EXPECT_TRUE(selects(services, service));
  EXPECT_FALSE(selects(services, goal));
  EXPECT_FALSE(selects(services, status));
  Selection actions{.topics = {action_pattern("/d*")}};
  EXPECT_FALSE(selects(actions, service));
  EXPECT_TRUE(selects(actions, goal));
  EXPECT_TRUE(selects(actions, status));
  Selection but_services{.topics = {"*"}, .exclude = {service_pattern("*")}};
  EXPECT_FALSE(selects(but_services, service));
  EXPECT_TRUE(selects(but_services, goal));
  EXPECT_TRUE(selects({.topics = {goal}}, goal));
  EXPECT_TRUE(selects({.topics = {"*_service_event"}}, goal));
}

TEST(Selector, ANameThatIsNoGlobStillIsAName) {
  Selection selection;
  selection.topics = {"/odd[name"};
  EXPECT_TRUE(selects(selection, "/odd[name"));
}

TEST(Selector, AnExactPatternMatchesItsTopicAlone) {
  for (const char* topic : {"/imu", "/a*b", "/a?b", "/a[b]", "/a\\b", "/a\\*", "\\"}) {
    EXPECT_TRUE(selects({.topics = {exact_pattern(topic)}}, topic)) << topic;
    for (const char* other : {"/aXb", "/ab", "/ab]", "/a", "/a*", "/aX"}) {
      EXPECT_FALSE(selects({.topics = {exact_pattern(topic)}}, other)) << topic << " " << other;
    }
  }
}

TEST(Selector, ExpressionsMatchTheWholeTopic) {
  Selection selection;
  selection.topic_expressions = {"/(left|right)/image"};
  EXPECT_TRUE(selects(selection, "/left/image"));
  EXPECT_FALSE(selects(selection, "/left/image_raw"));
  EXPECT_FALSE(selects(selection, "/stereo/left/image"));
}

TEST(Selector, NamesAndExpressionsAdd) {
  Selection selection;
  selection.topics = {"/imu"};
  selection.topic_expressions = {"/g.*"};
  EXPECT_TRUE(selects(selection, "/imu"));
  EXPECT_TRUE(selects(selection, "/gps"));
  EXPECT_FALSE(selects(selection, "/odom"));
}

TEST(Selector, ExcludingWins) {
  Selection selection;
  selection.topics = {"/camera/*"};
  selection.exclude = {"*/image"};
  selection.exclude_expressions = {".*/right/.*"};
  EXPECT_TRUE(selects(selection, "/camera/left/info"));
  EXPECT_FALSE(selects(selection, "/camera/left/image"));
  EXPECT_FALSE(selects(selection, "/camera/right/info"));
}

TEST(Selector, ExcludingAloneTakesTheRest) {
  Selection selection;
  selection.exclude = {"/imu"};
  EXPECT_FALSE(selects(selection, "/imu"));
  EXPECT_TRUE(selects(selection, "/gps"));
}

TEST(Selector, TypesAreWantedToo) {
  Selection selection;
  selection.topics = {"/a"};
  selection.types = {"sensor_msgs/*", "std_msgs/Bool"};
  Selector selector(selection);
  EXPECT_TRUE(selector.matches(channel_named("/a", "sensor_msgs/Imu")));
  EXPECT_TRUE(selector.matches(channel_named("/a", "std_msgs/Bool")));
  EXPECT_FALSE(selector.matches(channel_named("/a", "std_msgs/String")));
  EXPECT_FALSE(selector.matches(channel_named("/b", "sensor_msgs/Imu")));
  Channel schemaless = channel_named("/a");
  schemaless.schema = nullptr;
  EXPECT_FALSE(selector.matches(schemaless));
}

TEST(Selector, AChannelIsAskedByItsTopicAndType) {
  Selector selector({.topics = {"/a"}, .types = {"std_msgs/*"}});
  for (const char* topic : {"/a", "/b"}) {
    for (const char* type : {"std_msgs/String", "sensor_msgs/Imu"}) {
      EXPECT_EQ(selector.matches(channel_named(topic, type)), selector.matches(topic, type));
    }
  }
  EXPECT_TRUE(selector.matches("/a", "std_msgs/String"));
}

TEST(Selector, ACopyLivesOnItsOwn) {
  auto first = std::make_unique<Selector>(Selection{.topic_expressions = {"/g.*"}});
  Selector copy = *first;
  first.reset();
  EXPECT_TRUE(copy.matches("/gps", ""));
  EXPECT_FALSE(copy.matches("/imu", ""));
}

TEST(Selector, TellsWhichExpressionIsBadAndWhyAndLogsNothing) {
  testing::internal::CaptureStderr();
  for (bool excluding : {false, true}) {
    Selection selection;
    (excluding ? selection.exclude_expressions : selection.topic_expressions) = {"/ok", "/im(u"};
    Error error = thrown_by([&] { Selector{selection}; });
    EXPECT_EQ(error.code(), ErrorCode::invalid);
    EXPECT_THAT(error.what(), HasSubstr("\"/im(u\": missing )"));
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace kitbag
