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
  for (std::size_t at = 0; at < payload.size(); ++at) {  // nothing is taken for more than it is
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
  Registry registry_ = standard_registry();
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
  EXPECT_EQ(schema_of("std_msgs/msg/String", hash_, read.sources, registry_),
            (Schema{"std_msgs/msg/String", "ros2msg", "string data\n"}));
  for (std::size_t size = 0; size < payload.size(); ++size) {
    Error error = thrown_by([&] { parse_description_reply(ByteView(payload).first(size)); });
    EXPECT_EQ(error.code(), ErrorCode::truncated) << size;
  }
}

TEST_F(Ros2Description, ANodeMayNotKnow) {
  WireWriter reply = reply_to_call(false);
  reply.text("never heard of it");
  EXPECT_TRUE(parse_description_reply(reply.take()).sources.empty());
}

TEST_F(Ros2Description, NestedTypesStandBehind) {
  std::vector<TypeSource> sources = {{"a/msg/In", "msg", "int32 x\n"},
                                     {"a/msg/Out", "msg", "In in\n"}};
  Error error = thrown_by([&] { schema_of("a/msg/Out", "RIHS01_0", sources, registry_); });
  EXPECT_EQ(error.code(), ErrorCode::invalid);
  EXPECT_THAT(error.message(), HasSubstr("another type hash"));
  Schema whole{"a/msg/Out", "ros2msg",
               "In in\n\n" + std::string(80, '=') + "\nMSG: a/In\nint32 x\n"};
  const Language& language = *find_language(registry_, "ros2msg");
  auto hash = language.metadata(whole, *language.parse(whole))["topic_type_hash"];
  EXPECT_EQ(schema_of("a/msg/Out", hash, sources, registry_), whole);
  sources.erase(sources.begin());
  EXPECT_EQ(thrown_by([&] { schema_of("a/msg/Out", hash, sources, registry_); }).code(),
            ErrorCode::not_found);
  EXPECT_EQ(thrown_by([&] { schema_of("a/msg/Other", hash, sources, registry_); }).code(),
            ErrorCode::not_found);
}

TEST_F(Ros2Description, OfIdlToo) {
  std::vector<TypeSource> sources = {
      {"a/msg/In", "idl", "module a { module msg { struct In { int32 x; }; }; };\n"},
      {"a/msg/Out", "idl",
       "#include \"a/msg/In.idl\"\nmodule a { module msg { struct Out { a::msg::In in; }; }; "
       "};\n"}};
  const Language& language = *find_language(registry_, "ros2msg");
  Schema same{"a/msg/Out", "ros2msg", "In in\n" + std::string(80, '=') + "\nMSG: a/In\nint32 x\n"};
  auto hash = language.metadata(same, *language.parse(same))["topic_type_hash"];
  EXPECT_EQ(schema_of("a/msg/Out", hash, sources, registry_).language, "ros2idl");
}

}  // namespace
}  // namespace kitbag::ros2
