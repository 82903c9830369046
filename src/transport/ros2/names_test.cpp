#include "transport/ros2/names.h"

#include <gtest/gtest.h>

namespace kitbag::ros2 {
namespace {

TEST(Ros2Names, OfTopics) {
  EXPECT_EQ(topic_name("rt/odom", "nav_msgs::msg::dds_::Odometry_"),
            (TopicName{"/odom", "nav_msgs/msg/Odometry", true}));
  EXPECT_EQ(topic_name("rt/add/_service_event", "x::srv::dds_::Add_Event_"),
            (TopicName{"/add/_service_event", "x/srv/Add_Event", true}));
  EXPECT_EQ(topic_name("state", "plant::State"), (TopicName{"state", "plant::State", false}));
  EXPECT_EQ(topic_name("rt/odd", "Odd"), (TopicName{"/odd", "Odd", true}));
  for (const char* of_services :
       {"rq/addRequest", "rr/addReply", "rs/add", "ros_discovery_info", "DCPSParticipant"}) {
    EXPECT_FALSE(topic_name(of_services, "x")) << of_services;
  }
}

TEST(Ros2Names, ThereAndBack) {
  for (const char* type : {"nav_msgs/msg/Odometry", "x/srv/Add_Event", "y/action/Do_Feedback"}) {
    auto name = topic_name(dds_topic("/a/b"), dds_type(type));
    ASSERT_TRUE(name);
    EXPECT_EQ(name->topic, "/a/b");
    EXPECT_EQ(name->type, type);
  }
  EXPECT_EQ(dds_type("std_msgs/String"), "std_msgs::msg::dds_::String_");
  EXPECT_EQ(dds_type("plant::State"), "plant::State");
  EXPECT_EQ(dds_topic("state"), "state");
  EXPECT_EQ(dds_topic("/state", true), "/state");
}

TEST(Ros2Names, HiddenOnes) {
  EXPECT_TRUE(is_hidden("/fib/_action/status"));
  EXPECT_TRUE(is_hidden("_x"));
  EXPECT_FALSE(is_hidden("/a_b/c_"));
}

TEST(Ros2Names, TypeHashes) {
  const std::string hash = "RIHS01_" + std::string(64, 'a');
  EXPECT_EQ(type_hash_in("typehash=" + hash + ";"), hash);
  EXPECT_EQ(type_hash_in("clientid=1.2;typehash=" + hash + ";x=y;"), hash);
  for (const std::string& none : {std::string("RIHS01_ab"), "RIHS02_" + std::string(64, 'a'),
                                  hash + "b", "RIHS01_" + std::string(64, 'g')}) {
    EXPECT_EQ(type_hash_in("typehash=" + none + ";"), "") << none;
  }
  EXPECT_EQ(type_hash_in("enclave=/;"), "");
  EXPECT_EQ(type_hash_in(""), "");
}

TEST(Ros2Names, UserDataIsNeverEmpty) {
  const std::string hash = "RIHS01_" + std::string(64, '0');
  EXPECT_EQ(endpoint_user_data(hash), "typehash=" + hash + ";");
  for (const char* unknown : {"", "RIHS01_12", "x;typehash=y"}) {
    EXPECT_EQ(type_hash_in(endpoint_user_data(unknown)), "");
    EXPECT_FALSE(endpoint_user_data(unknown).empty());
  }
}

}  // namespace
}  // namespace kitbag::ros2
