#include "cli/terminal/bag_info.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kitbag::cli {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

BagInfo info_with(std::vector<Channel> channels) {
  BagInfo info{"a.bag", {}, "none", std::nullopt, {}};
  Summary& summary = info.summary;
  summary.format = "rosbag";
  summary.version = "2.0";
  summary.size_bytes = 4096;
  summary.chunks = 1;
  summary.start = Time(1s);
  summary.end = Time(11s);
  for (Channel& channel : channels) {
    info.channels.push_back({std::make_shared<const Channel>(std::move(channel)), 20});
    summary.messages += 20;
  }
  return info;
}

TEST(InfoText, HasOneLineATopicAndType) {
  Channel once{"/map", "ros1", nullptr, {{"latching", "1"}}, 0};
  Channel again{"/map", "ros1", nullptr, {}, 1};
  std::string text = info_text(info_with({once, again}), false);
  EXPECT_THAT(text, HasSubstr("format:      rosbag 2.0\n"));
  EXPECT_THAT(text, HasSubstr("(4,096 bytes)"));
  EXPECT_THAT(text, HasSubstr("1970-01-01T00:00:01.000000000Z (1.000000000)"));
  EXPECT_THAT(text, HasSubstr("/map               40  4 Hz            2  1 of 2\n"));
}

TEST(InfoText, HasTimesBefore1970) {
  BagInfo info = info_with({{"/a", "ros1", nullptr, {}, 0}});
  info.summary.start = Time(-1500ms);
  info.summary.end = Time(-1ns);
  std::string text = info_text(info, false);
  EXPECT_THAT(text, HasSubstr("1969-12-31T23:59:58.500000000Z (-1.500000000)\n"));
  EXPECT_THAT(text, HasSubstr("1969-12-31T23:59:59.999999999Z (-0.000000001)\n"));
}

TEST(InfoText, OfAnEmptyBagNamesNoTimes) {
  BagInfo info{"a.bag", {}, "none", std::nullopt, {}};
  info.summary.format = "rosbag";
  info.summary.indexed = false;
  std::string text = info_text(info, false);
  EXPECT_THAT(text, AllOf(HasSubstr("messages:    0\n"), HasSubstr("without an index"),
                          Not(HasSubstr("start")), Not(HasSubstr("topic"))));
}

TEST(InfoText, HasServicesAndActionsInTablesOfTheirOwn) {
  auto channel = [](const char* topic, const char* type) {
    return Channel{
        topic, "cdr", std::make_shared<const Schema>(Schema{type, "ros2msg", ""}), {}, 0};
  };
  Channel service = channel("/add/_service_event", "x/srv/Add_Event");
  Channel status = channel("/dock/_action/status", "action_msgs/msg/GoalStatusArray");
  Channel goal = channel("/dock/_action/send_goal/_service_event", "x/action/Dock_SendGoal_Event");
  std::string text = info_text(info_with({service, status, goal, channel("/odom", "x/O")}), false);
  EXPECT_THAT(text, HasSubstr("\n\nservice  type       events\n/add     x/srv/Add      20\n"));
  EXPECT_THAT(
      text,
      HasSubstr("\n\n"
                "action  type           send_goal  get_result  cancel_goal  feedback  status\n"
                "/dock   x/action/Dock         20           -            -         -      20\n"));
  EXPECT_THAT(text, AllOf(HasSubstr("/odom"), Not(HasSubstr("_service_event"))));
  text = info_text(info_with({service}), false);
  EXPECT_THAT(text, Not(HasSubstr("topic ")));
}

TEST(InfoText, IsBoldOnlyForATerminal) {
  EXPECT_THAT(info_text(info_with({}), false), Not(HasSubstr("\x1b")));
}

}  // namespace
}  // namespace kitbag::cli
