#include "transport/mqtt/transport.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "kitbag/error.h"
#include "tests/support/server_process.h"
#include "tests/support/skip_or_fail.h"
#include "tests/support/thrown_by.h"
#include "tests/support/transport_suite.h"
#include "transport/mqtt/endpoint.h"

namespace kitbag::mqtt {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Optional;

Location location(const std::string& path, std::map<std::string, std::string> parameters = {},
                  const std::string& scheme = "mqtt") {
  return {scheme + "://" + path, scheme, path, std::move(parameters)};
}

TEST(MqttNames, TopicsLoseTheirSlash) {
  EXPECT_EQ(name_of("", "/imu/data"), "imu/data");
  EXPECT_EQ(name_of("a/b", "/imu"), "a/b/imu");
  EXPECT_EQ(name_of("a", "imu"), "a/imu");
  EXPECT_THAT(topic_of("", "imu/data"), Optional(std::string("/imu/data")));
  EXPECT_THAT(topic_of("a/b", "a/b/imu"), Optional(std::string("/imu")));
  EXPECT_THAT(topic_of("", "/imu"), Optional(std::string("/imu")));
  EXPECT_EQ(topic_of("a", "ab/imu"), std::nullopt);
  EXPECT_EQ(topic_of("a", "b"), std::nullopt);
}

TEST(MqttNames, WhatMqttDoesNotAllowIsWrittenOtherwise) {
  EXPECT_EQ(name_of("", "/a+b/#"), "a%2Bb/%23");
  EXPECT_EQ(name_of("", "/$SYS/x"), "%24SYS/x");
  EXPECT_EQ(name_of("a", "/$x"), "a/$x");
  EXPECT_EQ(name_of("", std::string("/a\0b", 4)), "a%00b");
  EXPECT_EQ(name_of("a", ""), "a/%");
  EXPECT_EQ(name_of("a", "/\xff"), "");
  EXPECT_EQ(name_of("a", std::string(70'000, 'x')), "");
}

TEST(MqttEndpoint, TakesAllThatIsDocumented) {
  Endpoint endpoint = Endpoint::of(location("broker/robot1", {{"qos", "2"},
                                                              {"client", "me"},
                                                              {"expiry", "60"},
                                                              {"user", "joe"},
                                                              {"password", "secret"},
                                                              {"once", "1"},
                                                              {"times", "sent"}}));
  EXPECT_EQ(endpoint.address.port, 1883);
  EXPECT_EQ(endpoint.qos, 2);
  EXPECT_EQ(endpoint.client, "me");
  EXPECT_EQ(endpoint.expiry_s, 60U);
  EXPECT_TRUE(endpoint.is_once);
  EXPECT_TRUE(endpoint.keeps_time);
  EXPECT_EQ(endpoint.shown(), "mqtt://broker/robot1");
  EXPECT_EQ(Endpoint::of(location("broker", {}, "mqtts")).address.port, 8883);
  EXPECT_TRUE(transport("mqtt").holds_back(location("broker")));
  EXPECT_FALSE(transport("mqtt").holds_back(location("broker", {{"qos", "0"}})));
}

TEST(MqttEndpoint, WhatIsInvalidIsRefusedWithoutItsSecrets) {
  using Parameters = std::map<std::string, std::string>;
  for (const Parameters& parameters : {Parameters{{"qos", "3"}},
                                       {{"once", "yes"}},
                                       {{"bond", "1"}},
                                       {{"password", "secret"}},
                                       {{"ca", "/etc/passwd"}},
                                       {{"cert", "/etc/passwd"}}}) {
    Error error = test::thrown_by([&] { Endpoint::of(location("broker", parameters)); });
    EXPECT_EQ(error.code(), ErrorCode::invalid) << parameters.begin()->first;
    EXPECT_THAT(error.what(), Not(HasSubstr("secret")));
  }
  for (const char* path : {"broker/a+", "broker/#", "", "joe:secret@broker"}) {
    Error error = test::thrown_by([&] { Endpoint::of(location(path)); });
    EXPECT_EQ(error.code(), ErrorCode::invalid) << path;
    EXPECT_THAT(error.what(), Not(HasSubstr("secret")));
  }
}

TEST(MqttTransport, ABrokerThatIsNotThereIsTold) {
  Location place = location(fmt::format("127.0.0.1:{}", test::free_port()));
  Session session{Registry()};
  Feed feed(1 << 20, OnFull::block, session.clock());
  Error error = test::thrown_by([&] { subscribe(place, {}, feed, session); });
  EXPECT_EQ(error.code(), ErrorCode::io);
  EXPECT_THAT(error.what(), HasSubstr("Connection refused"));
  EXPECT_EQ(test::thrown_by([&] { publish(place, {}, session); }).code(), ErrorCode::io);
}

/// A server that accepts, and says nothing.
TEST(MqttTransport, AStopIsHeededWhereABrokerIsSilent) {
  int file = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in place{};
  place.sin_family = AF_INET;
  place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof place;
  ASSERT_EQ(::bind(file, reinterpret_cast<sockaddr*>(&place), size), 0);
  ASSERT_EQ(::listen(file, 8), 0);
  ASSERT_EQ(::getsockname(file, reinterpret_cast<sockaddr*>(&place), &size), 0);
  Location silent = location(fmt::format("127.0.0.1:{}", ntohs(place.sin_port)));
  Session session{Registry()};
  std::stop_source stop;
  std::jthread stopper([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    stop.request_stop();
  });
  Error error = test::thrown_by([&] { publish(silent, {stop.get_token(), {}}, session); });
  EXPECT_EQ(error.code(), ErrorCode::cancelled);
  Feed feed(1 << 20, OnFull::block, session.clock());
  auto subscriber = subscribe(silent, {}, feed, session);
  subscriber->stop();
  Batch batch;
  EXPECT_FALSE(feed.read(batch, {{}, session.clock()->steady() + std::chrono::seconds(60)}));
  ::close(file);
}

/// One for all tests of this program.
std::uint16_t mosquitto_port() {
  static TemporaryFolder folder;
  static const std::uint16_t port = test::free_port();
  static test::ServerProcess server(
      {test::find_program("mosquitto"), "-c",
       folder.write("conf", fmt::format("listener {} 127.0.0.1\nallow_anonymous true\n"
                                        "max_queued_messages 1000000\n",
                                        port))},
      port);
  return port;
}

/// Each test has topics of its own: the broker keeps what is retained.
test::TransportCase over_mosquitto(const std::string& folder, const char* qos) {
  if (test::find_program("mosquitto").empty()) return {};
  std::string name = folder.substr(folder.rfind('/') + 1);
  Location place = location(fmt::format("127.0.0.1:{}/{}", mosquitto_port(), name), {{"qos", qos}});
  return {transport("mqtt"), place, place, false};
}
test::TransportCase over_qos_0(const std::string& folder) {
  return over_mosquitto(folder, "0");
}
test::TransportCase over_qos_1(const std::string& folder) {
  return over_mosquitto(folder, "1");
}
test::TransportCase over_qos_2(const std::string& folder) {
  return over_mosquitto(folder, "2");
}

}  // namespace
}  // namespace kitbag::mqtt

namespace kitbag::test {

INSTANTIATE_TEST_SUITE_P(Mqtt, TransportSuite,
                         ::testing::Values(mqtt::over_qos_0, mqtt::over_qos_1, mqtt::over_qos_2));

}  // namespace kitbag::test
