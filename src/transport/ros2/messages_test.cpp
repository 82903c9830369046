#include "transport/ros2/messages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kitbag/error.h"
#include "kitbag/open.h"
#include "tests/support/thrown_by.h"
#include "transport/ros2/wire.h"

namespace kitbag::ros2 {
namespace {

using test::thrown_by;
using testing::ElementsAre;
using testing::HasSubstr;

Guid guid(unsigned char last) {
  Guid made{};
  made.back() = static_cast<std::byte>(last);
  return made;
}

TEST(Ros2Participant, IsReadAsItWasWritten) {
  for (std::size_t gid_bytes : {16U, 24U}) {
    auto payload = write_participant(guid(1), "kitbag", {guid(2), guid(3)}, {guid(4)}, gid_bytes);
    auto info = parse_participant(payload);
    ASSERT_TRUE(info);
    EXPECT_EQ(info->participant, guid(1));
    ASSERT_EQ(info->nodes.size(), 1U);
    EXPECT_EQ(info->nodes[0].name, "/kitbag");
    EXPECT_THAT(info->nodes[0].endpoints, ElementsAre(guid(2), guid(3), guid(4)));
  }
}

TEST(Ros2Participant, WhatIsCutOrHugeIsNone) {
  auto payload = write_participant(guid(1), "kitbag", {guid(2)}, {guid(4)}, 16);
  for (std::size_t size = 0; size < payload.size(); ++size) {
    EXPECT_FALSE(parse_participant(ByteView(payload).first(size))) << size;
  }
  for (std::size_t at = 0; at < payload.size(); ++at) {  // a part is never accepted as a whole
    auto damaged = payload;
    damaged[at] = std::byte{0xff};
    if (auto info = parse_participant(damaged)) {
      EXPECT_LE(info->nodes.size(), 1U);
    }
  }
}

class Ros2Description : public testing::Test {
 protected:
  /// What a reply begins with.
  static WireWriter reply_to_call(bool knows_it) {
    WireWriter reply;
    reply.number(std::uint64_t{77});
    reply.number(std::int64_t{3});
    reply.number<std::uint8_t>(knows_it ? 1 : 0);
    return reply;
  }

  const std::string hash_ =
      "RIHS01_df668c740482bbd48fb39d76a70dfd4bd59db1288021743503259e948f6b1a18";
  Session session_;
};

TEST_F(Ros2Description, AReplyIsRead) {
  WireWriter reply = reply_to_call(true);
  reply.text("");
  for (int description = 0; description < 2; ++description) {  // its own, and one that it needs
    reply.text("a/msg/B");
    reply.count(1);
    reply.text("field");
    reply.number<std::uint8_t>(17);
    reply.number<std::uint64_t>(0);
    reply.number<std::uint64_t>(0);
    reply.text("");
    reply.text("");
    if (description == 0) reply.count(1);
  }
  reply.count(1);
  for (const char* text : {"std_msgs/msg/String", "msg", "string data\n"}) reply.text(text);
  auto payload = reply.take();
  auto read = parse_description_reply(payload);
  EXPECT_EQ(read.call.client, 77U);
  EXPECT_EQ(read.call.sequence, 3);
  ASSERT_EQ(read.sources.size(), 1U);
  EXPECT_EQ(schema_of("std_msgs/msg/String", hash_, read, session_),
            (Schema{"std_msgs/msg/String", "ros2msg", "string data\n"}));
  for (std::size_t size = 0; size < payload.size(); ++size) {
    Error error = thrown_by([&] { parse_description_reply(ByteView(payload).first(size)); });
    EXPECT_EQ(error.code(), ErrorCode::truncated) << size;
  }
}

TEST_F(Ros2Description, ANodeMayNotKnow) {
  WireWriter reply = reply_to_call(false);
  reply.text("never heard of it");
  auto read = parse_description_reply(reply.take());
  EXPECT_TRUE(read.sources.empty());
  EXPECT_TRUE(read.types.empty());
}

TEST_F(Ros2Description, NestedTypesStandBehind) {
  DescriptionReply reply;
  std::vector<TypeSource>& sources = reply.sources;
  sources = {{"a/msg/In", "msg", "int32 x\n"}, {"a/msg/Out", "msg", "In in\n"}};
  Error error = thrown_by([&] { schema_of("a/msg/Out", "RIHS01_0", reply, session_); });
  EXPECT_EQ(error.code(), ErrorCode::invalid);
  EXPECT_THAT(error.message(), HasSubstr("another type hash"));
  Schema whole{"a/msg/Out", "ros2msg",
               "In in\n\n" + std::string(80, '=') + "\nMSG: a/In\nint32 x\n"};
  const Language& language = *find_language(session_.registry(), "ros2msg");
  auto hash = language.metadata(whole, *language.parse(whole))["topic_type_hash"];
  EXPECT_EQ(schema_of("a/msg/Out", hash, reply, session_), whole);
  sources.erase(sources.begin());
  EXPECT_EQ(thrown_by([&] { schema_of("a/msg/Out", hash, reply, session_); }).code(),
            ErrorCode::not_found);
  EXPECT_EQ(thrown_by([&] { schema_of("a/msg/Other", hash, reply, session_); }).code(),
            ErrorCode::not_found);
}

/// What a node says of std_srvs/srv/SetBool_Event, and of fib/action/Do_FeedbackMessage.
DescriptionReply implicit_event() {
  DescriptionReply reply;
  reply.types = {
      {"std_srvs/srv/SetBool_Event",
       {{"info", 1, 0, 0, "service_msgs/msg/ServiceEventInfo"},
        {"request", 97, 1, 0, "std_srvs/srv/SetBool_Request"},
        {"response", 97, 1, 0, "std_srvs/srv/SetBool_Response"}}},
      {"builtin_interfaces/msg/Time", {{"sec", 6, 0, 0, ""}, {"nanosec", 7, 0, 0, ""}}},
      {"service_msgs/msg/ServiceEventInfo",
       {{"event_type", 3, 0, 0, ""},
        {"stamp", 1, 0, 0, "builtin_interfaces/msg/Time"},
        {"client_gid", 51, 16, 0, ""},
        {"sequence_number", 8, 0, 0, ""}}},
      {"std_srvs/srv/SetBool_Request", {{"data", 15, 0, 0, ""}}},
      {"std_srvs/srv/SetBool_Response", {{"success", 15, 0, 0, ""}, {"message", 17, 0, 0, ""}}}};
  for (const TypeDescription& type : reply.types) {
    reply.sources.push_back({type.type, "implicit", ""});
  }
  return reply;
}
/// As rosidl computes it.
constexpr const char* kEventHash =
    "RIHS01_3c4c20015afb4303eafd347b1d6a786f171a89c814726961a9593ef10df878cf";

TEST_F(Ros2Description, MessagesThatNoFileDefinesAreBuiltFromTheDescription) {
  DescriptionReply reply = implicit_event();
  Schema schema = schema_of("std_srvs/srv/SetBool_Event", kEventHash, reply, session_);
  EXPECT_EQ(schema.language, "ros2msg");
  TypePtr type = find_language(session_.registry(), "ros2msg")->parse(schema);
  ASSERT_EQ(type->fields.size(), 3U);
  EXPECT_EQ(type->fields[1].type->length, 1U);
  EXPECT_EQ(type->fields[1].type->element->name, "std_srvs/srv/SetBool_Request");
  reply.types[3].fields[0].type_id = 3;
  EXPECT_EQ(thrown_by([&] {
              schema_of("std_srvs/srv/SetBool_Event", kEventHash, reply, session_);
            }).code(),
            ErrorCode::invalid);
}

TEST_F(Ros2Description, EveryTypeOfAField) {
  std::vector<TypeDescription> types = {
      {"p/action/Do_FeedbackMessage",
       {{"goal_id", 1, 0, 0, "unique_identifier_msgs/msg/UUID"},
        {"feedback", 1, 0, 0, "p/action/Do_Feedback"},
        {"a", 48 + 11, 3, 0, ""},
        {"b", 96 + 21, 7, 5, ""},
        {"c", 144 + 16, 0, 0, ""},
        {"d", 22, 0, 9, ""}}},
      {"unique_identifier_msgs/msg/UUID", {{"uuid", 51, 16, 0, ""}}},
      {"p/action/Do_Feedback", {{"structure_needs_at_least_one_member", 3, 0, 0, ""}}}};
  const std::string line = std::string(80, '=') + "\nMSG: ";
  EXPECT_EQ(text_of(types),
            "unique_identifier_msgs/UUID goal_id\np/action/Do_Feedback feedback\n"
            "float64[3] a\nstring<=5[<=7] b\nbyte[] c\nwstring<=9 d\n" +
                line + "unique_identifier_msgs/UUID\nuint8[16] uuid\n" + line +
                "p/action/Do_Feedback\n# no fields\n");
  for (int id : {0, 12, 13, 14, 19, 20, 23, 48, 61, 96, 144, 167, 255}) {
    types[0].fields[0].type_id = static_cast<std::uint8_t>(id);
    EXPECT_EQ(thrown_by([&] { text_of(types); }).code(), ErrorCode::unsupported) << id;
  }
}

TEST_F(Ros2Description, OfIdlToo) {
  DescriptionReply reply;
  std::vector<TypeSource>& sources = reply.sources;
  sources = {
      {"a/msg/In", "idl", "module a { module msg { struct In { int32 x; }; }; };\n"},
      {"a/msg/Out", "idl",
       "#include \"a/msg/In.idl\"\nmodule a { module msg { struct Out { a::msg::In in; }; }; "
       "};\n"}};
  const Language& language = *find_language(session_.registry(), "ros2msg");
  Schema same{"a/msg/Out", "ros2msg", "In in\n" + std::string(80, '=') + "\nMSG: a/In\nint32 x\n"};
  auto hash = language.metadata(same, *language.parse(same))["topic_type_hash"];
  EXPECT_EQ(schema_of("a/msg/Out", hash, reply, session_).language, "ros2idl");
}

}  // namespace
}  // namespace kitbag::ros2
