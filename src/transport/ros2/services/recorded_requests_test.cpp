#include "transport/ros2/services/recorded_requests.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kitbag/error.h"
#include "tests/support/thrown_by.h"
#include "transport/ros2/messages.h"
#include "transport/ros2/wire.h"

namespace kitbag::ros2 {
namespace {

using test::thrown_by;
using testing::HasSubstr;

/// The definition of the events of a service as a node describes it; its request has `fields`.
Channel channel_of(const std::string& fields) {
  const std::string line = std::string(80, '=') + "\n";
  std::string text =
      "service_msgs/ServiceEventInfo info\nx/T_Request[<=1] request\nx/T_Response[<=1] response\n" +
      line +
      "MSG: service_msgs/ServiceEventInfo\nuint8 event_type\nbuiltin_interfaces/Time stamp\n"
      "char[16] client_gid\nint64 sequence_number\n" +
      line + "MSG: builtin_interfaces/Time\nint32 sec\nuint32 nanosec\n" + line +
      "MSG: x/T_Request\n" + fields + line + "MSG: x/T_Response\nint64 sum\n";
  return {"/t/_service_event",
          "cdr",
          std::make_shared<const Schema>(Schema{"x/msg/T_Event", "ros2msg", text}),
          {},
          0};
}

/// An event, up to the count of its requests.
WireWriter event(std::uint8_t what, std::size_t requests) {
  WireWriter writer;
  writer.number(what);
  writer.number<std::int32_t>(1);
  writer.number<std::uint32_t>(2);
  writer.raw(Guid{});
  writer.number<std::int64_t>(3);
  writer.count(requests);
  return writer;
}

Payload finished(WireWriter writer) {
  writer.count(0);  // responses
  return writer.take();
}

TEST(Ros2RecordedRequests, AreAlignedAnew) {
  RecordedRequests requests(channel_of("int32 x\nint64 y\nstring name\nfloat64[] list\n"),
                            Session());
  auto put = [](WireWriter& writer) {
    writer.number<std::int32_t>(-5);
    writer.number<std::int64_t>(6);
    writer.text("abc");
    writer.count(2);
    writer.number<std::int64_t>(0x3ff0000000000000);
    writer.number<std::int64_t>(0x4000000000000000);
  };
  WireWriter writer = event(1, 1);
  put(writer);
  Payload payload = finished(std::move(writer));
  RecordedRequest read = requests.read(payload);
  EXPECT_EQ(read.what, CallEvent::What::request_received);
  WireWriter alone;
  put(alone);
  Payload wanted = alone.take();
  ASSERT_TRUE(read.payload);
  EXPECT_EQ(Payload(read.payload->begin(), read.payload->end()), wanted);
  EXPECT_EQ(payload.size() - 4 - 44 - 4, 44U) << "without padding behind its first number";
  EXPECT_EQ(wanted.size() - 4, 48U);
}

TEST(Ros2RecordedRequests, WithoutFieldsAreOneByte) {
  RecordedRequests requests(channel_of(""), Session());
  WireWriter writer = event(0, 1);
  writer.number<std::uint8_t>(0);
  RecordedRequest read = requests.read(finished(std::move(writer)));
  EXPECT_EQ(read.what, CallEvent::What::request_sent);
  ASSERT_TRUE(read.payload);
  EXPECT_EQ(read.payload->size(), 5U);
}

TEST(Ros2RecordedRequests, EventsMayHaveNoContent) {
  RecordedRequests requests(channel_of("int64 a\n"), Session());
  EXPECT_FALSE(requests.read(finished(event(1, 0))).payload);
  WireWriter response = event(2, 0);
  response.count(1);
  response.number<std::int64_t>(4);
  RecordedRequest read = requests.read(response.take());
  EXPECT_EQ(read.what, CallEvent::What::response_sent);
  EXPECT_FALSE(read.payload);
}

TEST(Ros2RecordedRequests, WhatIsDamagedIsAnError) {
  RecordedRequests requests(channel_of("int64[] a\n"), Session());
  WireWriter writer = event(1, 1);
  writer.count(3);
  for (std::int64_t value : {1, 2, 3}) writer.number(value);
  Payload good = finished(std::move(writer));
  for (std::size_t size = 0; size + 8 < good.size(); ++size) {
    thrown_by([&] { requests.read(ByteView(good).first(size)); });
  }
  EXPECT_TRUE(requests.read(good).payload) << "those before do not matter";
  WireWriter huge = event(1, 1);
  huge.count(0x7fffffff);
  thrown_by([&] { requests.read(finished(std::move(huge))); });
}

TEST(Ros2RecordedRequests, TheDefinitionIsNeeded) {
  Channel channel = channel_of("int64 a\n");
  channel.schema = std::make_shared<const Schema>(Schema{"x/msg/T_Event", "", ""});
  EXPECT_EQ(thrown_by([&] { RecordedRequests(channel, Session()); }).code(), ErrorCode::not_found);
  channel.schema = std::make_shared<const Schema>(Schema{"x/msg/T_Event", "ros2msg", "int32 x\n"});
  EXPECT_THAT(thrown_by([&] { RecordedRequests(channel, Session()); }).message(),
              HasSubstr("not that of the events of a service"));
}

}  // namespace
}  // namespace kitbag::ros2
