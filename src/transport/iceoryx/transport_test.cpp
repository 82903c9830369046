#include "transport/iceoryx/transport.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "tests/support/server_process.h"
#include "tests/support/skip_or_fail.h"
#include "tests/support/thrown_by.h"
#include "tests/support/transport_suite.h"
#include "transport/iceoryx/endpoint.h"
#include "transport/iceoryx/header.h"

namespace kitbag::iceoryx_transport {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Optional;
using ::testing::SizeIs;
using Parameters = std::map<std::string, std::string>;
using Prefix = std::vector<std::string>;

Location location(const std::string& path, Parameters parameters = {}) {
  return {"iceoryx://" + path, "iceoryx", path, std::move(parameters)};
}

TEST(IceoryxNames, ATopicHasThreeParts) {
  EXPECT_THAT(name_of({}, "/Radar/Left/Object"), Optional(Name{"Radar", "Left", "Object"}));
  EXPECT_THAT(name_of({}, "/a/b/c/d"), Optional(Name{"a", "b", "c/d"}));
  EXPECT_THAT(name_of({}, "/imu"), Optional(Name{"kitbag", "kitbag", "imu"}));
  EXPECT_THAT(name_of({}, "imu/data"), Optional(Name{"kitbag", "imu", "data"}));
  EXPECT_THAT(name_of({"robot"}, "/imu"), Optional(Name{"robot", "kitbag", "imu"}));
  EXPECT_THAT(name_of({"robot", "a"}, "/imu/data"), Optional(Name{"robot", "a", "imu/data"}));
  EXPECT_THAT(topic_of({}, {"Radar", "Left", "Object"}),
              Optional(std::string("/Radar/Left/Object")));
  EXPECT_THAT(topic_of({"Radar"}, {"Radar", "Left", "Object"}),
              Optional(std::string("/Left/Object")));
  EXPECT_EQ(topic_of({"Lidar"}, {"Radar", "Left", "Object"}), std::nullopt);
  EXPECT_EQ(topic_of({"Radar", "Right"}, {"Radar", "Left", "Object"}), std::nullopt);
}

TEST(IceoryxNames, CommasAreWrittenOtherwise) {
  EXPECT_THAT(name_of({"a", "b"}, "/x,y%z"), Optional(Name{"a", "b", "x%2Cy%25z"}));
  EXPECT_THAT(topic_of({"a", "b"}, {"a", "b", "x%2Cy%25z%"}), Optional(std::string("/x,y%z%")));
}

TEST(IceoryxNames, WhatCanHaveNoneHasNone) {
  EXPECT_EQ(name_of({}, ""), std::nullopt);
  EXPECT_EQ(name_of({}, "/"), std::nullopt);
  EXPECT_EQ(name_of({}, "/a//b"), std::nullopt);
  EXPECT_EQ(name_of({}, std::string("/a\0b", 4)), std::nullopt);
  EXPECT_NE(name_of({}, "/" + std::string(100, 'x')), std::nullopt);
  EXPECT_EQ(name_of({}, "/" + std::string(101, 'x')), std::nullopt);
}

TEST(IceoryxNames, DescriptionsHaveTheirOwn) {
  EXPECT_TRUE(is_of_descriptions(descriptions_of(7)));
  EXPECT_FALSE(is_of_descriptions({"kitbag", "channels", "imu"}));
  EXPECT_TRUE(is_internal({"Introspection", "RouDi_ID", "Port"}));
  EXPECT_FALSE(is_internal({"Introspection", "mine", "Port"}));
}

TEST(IceoryxEndpoint, TakesAllThatIsDocumented) {
  TemporaryFolder folder;
  std::string definition = folder.write("Point.msg", "float64 x\n");
  Endpoint endpoint = Endpoint::of(location("robot/front", {{"full", "wait"},
                                                            {"once", "1"},
                                                            {"times", "sent"},
                                                            {"encoding", "ros1"},
                                                            {"type", "demo/Point"},
                                                            {"definition", definition},
                                                            {"language", "ros1msg"}}));
  EXPECT_EQ(endpoint.prefix, (Prefix{"robot", "front"}));
  EXPECT_EQ(endpoint.prefix_text(), "robot/front");
  EXPECT_TRUE(endpoint.holds_back);
  EXPECT_TRUE(endpoint.is_once);
  EXPECT_TRUE(endpoint.keeps_time);
  EXPECT_EQ(endpoint.encoding, "ros1");
  EXPECT_THAT(endpoint.schema, Optional(Schema{"demo/Point", "ros1msg", "float64 x\n"}));
  EXPECT_THAT(Endpoint::of(location("")).prefix, IsEmpty());
  EXPECT_FALSE(Endpoint::of(location("")).schema);
  EXPECT_FALSE(transport().holds_back(location("")));
  EXPECT_TRUE(transport().holds_back(location("", {{"full", "wait"}})));
}

TEST(IceoryxEndpoint, WhatIsInvalidIsRefused) {
  for (const Parameters& parameters : {Parameters{{"full", "yes"}},
                                       {{"once", "yes"}},
                                       {{"bond", "1"}},
                                       {{"times", "mine"}},
                                       {{"definition", "/etc/passwd"}},
                                       {{"type", "T"}, {"language", "ros1msg"}},
                                       {{"definition", "/etc/passwd"}, {"language", "ros1msg"}}}) {
    Error error = test::thrown_by([&] { Endpoint::of(location("robot", parameters)); });
    EXPECT_EQ(error.code(), ErrorCode::invalid) << parameters.begin()->first;
  }
  for (const std::string& path :
       {std::string("a/b/c"), std::string("a//b"), std::string("a,b"), std::string(101, 'x')}) {
    Error error = test::thrown_by([&] { Endpoint::of(location(path)); });
    EXPECT_EQ(error.code(), ErrorCode::invalid) << path;
  }
  Parameters absent{{"type", "T"}, {"definition", "/nothing/here"}, {"language", "ros1msg"}};
  EXPECT_EQ(test::thrown_by([&] { Endpoint::of(location("", absent)); }).code(),
            ErrorCode::not_found);
}

TEST(IceoryxHeader, IsReadAsItWasWritten) {
  UserHeader header{-5, "/imu", "{}"};
  std::vector<std::byte> bytes(size_of(header), std::byte{0xff});
  EXPECT_EQ(bytes.size() % kHeaderAlignment, 0U);
  put(header, bytes.data());
  auto read = user_header_in(bytes);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->sent_ns, -5);
  EXPECT_EQ(read->topic, "/imu");
  EXPECT_EQ(read->json, "{}");
}

TEST(IceoryxHeader, AnyBytesAreRead) {
  UserHeader header{1, "/imu", "{\"a\":1}"};
  std::vector<std::byte> bytes(size_of(header));
  put(header, bytes.data());
  for (std::size_t size = 0; size < 24 + 11; ++size) {
    EXPECT_FALSE(user_header_in(ByteView(bytes).first(size))) << size;
  }
  for (std::size_t at = 16; at < 24; ++at) {
    std::vector<std::byte> damaged = bytes;
    damaged[at] = std::byte{0xff};
    EXPECT_FALSE(user_header_in(damaged)) << at;
  }
  EXPECT_FALSE(user_header_in(as_bytes(std::string_view("a header of somebody else's"))));
}

TEST(IceoryxHeader, APageGivesItsDescriptionsUpToTheFirstThatIsCut) {
  std::string page;
  append({"/a", "{}"}, page);
  append({"/b", R"({"x":1})"}, page);
  auto all = descriptions_in(as_bytes(page));
  ASSERT_THAT(all, SizeIs(2));
  EXPECT_EQ(all[1].topic, "/b");
  EXPECT_EQ(all[1].json, R"({"x":1})");
  page.pop_back();
  EXPECT_THAT(descriptions_in(as_bytes(page)), SizeIs(1));
  EXPECT_THAT(descriptions_in({}), IsEmpty());
}

/// One for all tests of this program.
bool has_roudi() {
  std::string program = test::find_program("iox-roudi");
  if (program.empty()) return false;
  static TemporaryFolder folder;
  static test::ServerProcess server(
      {program, "--monitoring-mode", "off", "-c",
       folder.write("roudi.toml",
                    "[general]\nversion = 1\n[[segment]]\n"
                    "[[segment.mempool]]\nsize = 1024\ncount = 2000\n"
                    "[[segment.mempool]]\nsize = 1200000\ncount = 30\n")},
      [] {
        // It is there when it takes a process in.
        try {
          Session session{Registry()};
          publish(location(""), {}, session);
          return true;
        } catch (const Error&) {
          return false;
        }
      });
  return true;
}

/// Each test has names of its own, as RouDi may not have ended those of the one before.
test::TransportCase over_roudi(const std::string& folder, const Parameters& parameters) {
  if (!has_roudi()) return {};
  std::string name = folder.substr(folder.rfind('/') + 1);
  Location place = location(name, parameters);
  return {transport(), place, place, false};
}
test::TransportCase with_queues_that_drop(const std::string& folder) {
  return over_roudi(folder, {});
}
test::TransportCase with_queues_that_wait(const std::string& folder) {
  return over_roudi(folder, {{"full", "wait"}});
}

}  // namespace
}  // namespace kitbag::iceoryx_transport

namespace kitbag::test {

INSTANTIATE_TEST_SUITE_P(Iceoryx, TransportSuite,
                         ::testing::Values(iceoryx_transport::with_queues_that_drop,
                                           iceoryx_transport::with_queues_that_wait));

}  // namespace kitbag::test
