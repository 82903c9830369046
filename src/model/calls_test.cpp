#include "kitbag/calls.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "kitbag/message.h"

namespace kitbag {
namespace {

constexpr std::size_t kEventBytes = 4 + 40;

/// The beginning of an event in CDR.
std::vector<std::byte> event(std::uint8_t what, std::int64_t sequence, bool is_little = true) {
  std::vector<std::byte> payload(kEventBytes);
  payload[1] = std::byte{is_little};
  payload[4] = std::byte{what};
  for (std::size_t i = 0; i < 16; ++i) payload[16 + i] = static_cast<std::byte>(i);
  for (std::size_t i = 0; i < sizeof sequence; ++i) {
    std::size_t place = is_little ? i : sizeof sequence - 1 - i;
    payload[36 + place] = static_cast<std::byte>(sequence >> (8 * i));
  }
  return payload;
}

TEST(CallTopic, EventsOfServices) {
  auto call = call_topic("/ns/add/_service_event", "example_interfaces/srv/AddTwoInts_Event");
  ASSERT_TRUE(call);
  EXPECT_EQ(call->of, CallTopic::Of::service);
  EXPECT_EQ(call->name, "/ns/add");
  EXPECT_EQ(call->part, "");
  EXPECT_EQ(call->type, "example_interfaces/srv/AddTwoInts");
  EXPECT_TRUE(call->has_events);
  EXPECT_EQ(call_topic("/add/_service_event", "")->type, "");
}

TEST(CallTopic, TheFiveTopicsOfActions) {
  struct Case {
    const char* topic;
    const char* type;
    const char* part;
    const char* action;
    bool has_events;
  };
  for (const Case& each : std::vector<Case>{
           {"/dock/_action/send_goal/_service_event", "x/action/Dock_SendGoal_Event", "send_goal",
            "x/action/Dock", true},
           {"/dock/_action/get_result/_service_event", "x/action/Dock_GetResult_Event",
            "get_result", "x/action/Dock", true},
           {"/dock/_action/cancel_goal/_service_event", "action_msgs/srv/CancelGoal_Event",
            "cancel_goal", "", true},
           {"/dock/_action/feedback", "x/action/Dock_FeedbackMessage", "feedback", "x/action/Dock",
            false},
           {"/dock/_action/status", "action_msgs/msg/GoalStatusArray", "status", "", false}}) {
    auto call = call_topic(each.topic, each.type);
    ASSERT_TRUE(call) << each.topic;
    EXPECT_EQ(call->of, CallTopic::Of::action);
    EXPECT_EQ(call->name, "/dock");
    EXPECT_EQ(call->part, each.part);
    EXPECT_EQ(call->type, each.action);
    EXPECT_EQ(call->has_events, each.has_events);
  }
}

TEST(CallTopic, OtherTopicsAreNone) {
  for (const auto& [topic, type] : std::vector<std::pair<const char*, const char*>>{
           {"/add", "example_interfaces/srv/AddTwoInts_Event"},
           {"/add/_service_event", "std_msgs/msg/String"},
           {"/_service_event", "x/srv/T_Event"},
           {"_service_event", "x/srv/T_Event"},
           {"/dock/_action/status", "std_msgs/msg/String"},
           {"/dock/_action/other", "x/action/Dock_FeedbackMessage"},
           {"/dock/_action/feedback/_service_event", "x/action/Dock_FeedbackMessage"},
           {"/_action/status", "action_msgs/msg/GoalStatusArray"},
           {"", ""}}) {
    EXPECT_FALSE(call_topic(topic, type)) << topic << " " << type;
  }
}

TEST(CallEvents, AreReadInBothByteOrders) {
  for (bool is_little : {false, true}) {
    auto read = call_event(event(2, 0x0102030405060708, is_little));
    ASSERT_TRUE(read);
    EXPECT_EQ(read->what, CallEvent::What::response_sent);
    EXPECT_FALSE(read->is_request());
    EXPECT_EQ(read->client[15], std::byte{15});
    EXPECT_EQ(read->sequence, 0x0102030405060708);
  }
  EXPECT_TRUE(call_event(event(1, 1))->is_request());
}

TEST(CallEvents, WhatIsNoneIsSaid) {
  auto good = event(0, 1);
  for (std::size_t size = 0; size < good.size(); ++size) {
    EXPECT_FALSE(call_event(ByteView(good).first(size))) << size;
  }
  EXPECT_FALSE(call_event(event(4, 1)));
  good[1] = std::byte{7};  // XCDR2
  EXPECT_FALSE(call_event(good));
}

TEST(IsState, EventsAreNone) {
  auto latched = [](const char* topic, const char* type) {
    return Channel{topic,
                   "ros1",
                   std::make_shared<const Schema>(Schema{type, "", ""}),
                   {{"latching", "1"}},
                   0};
  };
  EXPECT_TRUE(is_state(latched("/map", "nav_msgs/OccupancyGrid")));
  EXPECT_TRUE(is_state(latched("/dock/_action/status", "action_msgs/msg/GoalStatusArray")));
  EXPECT_FALSE(is_state(latched("/add/_service_event", "x/srv/T_Event")));
  Channel moving = latched("/odom", "nav_msgs/Odometry");
  moving.metadata.clear();
  EXPECT_FALSE(is_state(moving));
}

}  // namespace
}  // namespace kitbag
