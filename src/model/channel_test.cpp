#include <gtest/gtest.h>

#include "kitbag/message.h"

namespace kitbag {
namespace {

Channel imu_channel() {
  auto schema = std::make_shared<const Schema>(Schema{"sensor_msgs/Imu", "ros1msg", "int32 x"});
  return {"/imu", "ros1", schema, {{"callerid", "/driver"}}, 3};
}

TEST(Channel, TypeIsTheNameOfTheSchema) {
  Channel channel = imu_channel();
  EXPECT_EQ(channel.type(), "sensor_msgs/Imu");
  channel.schema = nullptr;
  EXPECT_EQ(channel.type(), "");
}

TEST(SameContent, DoesNotCountTheSlot) {
  Channel a = imu_channel();
  Channel b = imu_channel();  // its schema is another object
  b.slot = 7;
  EXPECT_TRUE(same_content(a, b));
}

TEST(SameContent, CountsEverythingElse) {
  const Channel a = imu_channel();
  auto differs = [&](auto change) {
    Channel b = imu_channel();
    change(b);
    return !same_content(a, b) && !same_content(b, a);
  };
  EXPECT_TRUE(differs([](Channel& b) { b.topic += "2"; }));
  EXPECT_TRUE(differs([](Channel& b) { b.encoding.clear(); }));
  EXPECT_TRUE(differs([](Channel& b) { b.metadata.emplace("latching", "1"); }));
  EXPECT_TRUE(differs([](Channel& b) { b.schema = nullptr; }));
  EXPECT_TRUE(differs([](Channel& b) {
    b.schema = std::make_shared<const Schema>(Schema{"sensor_msgs/Imu", "ros1msg", "int32 y"});
  }));
}

TEST(SameContent, ChannelsWithoutSchemaAreEqual) {
  Channel a = imu_channel();
  a.schema = nullptr;
  EXPECT_TRUE(same_content(a, Channel(a)));
}

TEST(IsLatched, AsRos1WritesIt) {
  Channel channel = imu_channel();
  EXPECT_FALSE(is_latched(channel));
  for (auto [value, latched] : {std::pair{"1", true}, {"true", true}, {"0", false}, {"", false}}) {
    channel.metadata["latching"] = value;
    EXPECT_EQ(is_latched(channel), latched) << value;
  }
}

}  // namespace
}  // namespace kitbag
