#include "transport/ros2/rpc.h"

#include <gmock/gmock.h>

#include "transport/ros2/wire.h"

namespace kitbag::ros2 {
namespace {

Payload payload_of(std::uint64_t value) {
  WireWriter writer;
  writer.number(value);
  return writer.take();
}

TEST(Ros2Rpc, ServicesAreTwoTopics) {
  ServiceTopics topics = service_topics("/robot/set", "std_srvs/srv/SetBool");
  EXPECT_EQ(topics.request, "rq/robot/setRequest");
  EXPECT_EQ(topics.reply, "rr/robot/setReply");
  EXPECT_EQ(topics.request_type, "std_srvs::srv::dds_::SetBool_Request_");
  EXPECT_EQ(topics.response_type, "std_srvs::srv::dds_::SetBool_Response_");
}

TEST(Ros2Rpc, ACallStandsInFrontOfTheContent) {
  Payload plain = payload_of(7);
  Payload called = with_call({0x1122334455667788U, -3}, plain);
  ASSERT_EQ(called.size(), plain.size() + 16);
  auto back = without_call(called);
  ASSERT_TRUE(back);
  EXPECT_EQ(back->call.client, 0x1122334455667788U);
  EXPECT_EQ(back->call.sequence, -3);
  EXPECT_EQ(back->payload, plain);
}

TEST(Ros2Rpc, WhatIsTooShortOrInAnotherOrderIsNoCall) {
  Payload called = with_call({1, 2}, payload_of(7));
  EXPECT_FALSE(without_call(ByteView(called).first(19)));
  EXPECT_TRUE(without_call(ByteView(called).first(20)));
  EXPECT_FALSE(without_call({}));
  called[1] = std::byte{0};
  EXPECT_FALSE(without_call(called));
}

TEST(Ros2Rpc, EndpointsOfOneClientTellItsId) {
  ServiceId id{};
  id[0] = std::byte{0x1f};
  id[15] = std::byte{2};
  std::string data = service_user_data(kClientKey, id, {});
  EXPECT_EQ(data, "clientid=1f.0.0.0.0.0.0.0.0.0.0.0.0.0.0.2;kitbag=1;");
  EXPECT_EQ(value_in(data, kClientKey), "1f.0.0.0.0.0.0.0.0.0.0.0.0.0.0.2");
  EXPECT_EQ(value_in(data, kServiceKey), "");
  EXPECT_EQ(value_in("xclientid=1;clientid;clientid=2", kClientKey), "2");
  EXPECT_NE(make_service_id(), make_service_id());
}

TEST(Ros2Rpc, KnowsCycloneByItsGuid) {
  Guid guid{};
  EXPECT_FALSE(is_cyclone(guid));
  guid[0] = std::byte{0x01};
  guid[1] = std::byte{0x10};
  EXPECT_TRUE(is_cyclone(guid));
}

}  // namespace
}  // namespace kitbag::ros2
