#include "transport/nats/transport.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "kitbag/error.h"
#include "tests/support/server_process.h"
#include "tests/support/skip_or_fail.h"
#include "tests/support/thrown_by.h"
#include "tests/support/transport_suite.h"
#include "transport/nats/connection.h"
#include "transport/nats/endpoint.h"
#include "transport/nats/outbox.h"
#include "transport/nats/seen.h"

namespace kitbag::nats {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Optional;

Location location(const std::string& path, std::map<std::string, std::string> parameters = {},
                  const std::string& scheme = "nats") {
  return {scheme + "://" + path, scheme, path, std::move(parameters)};
}

TEST(NatsNames, SlashesAreDots) {
  EXPECT_EQ(subject_of("", "/imu/data"), "imu.data");
  EXPECT_EQ(subject_of("a.b", "imu"), "a.b.imu");
  EXPECT_THAT(topic_of("", "imu.data"), Optional(std::string("/imu/data")));
  EXPECT_THAT(topic_of("a.b", "a.b.imu"), Optional(std::string("/imu")));
  EXPECT_EQ(topic_of("a", "ab.imu"), std::nullopt);
  EXPECT_EQ(topic_of("a", "a"), std::nullopt);
  EXPECT_EQ(topic_of("", "_INBOX.x"), std::nullopt);
  EXPECT_EQ(topic_of("", "$JS.API"), std::nullopt);
}

TEST(NatsNames, WhatSubjectsDoNotAllowIsWrittenOtherwise) {
  EXPECT_EQ(subject_of("", "/a.b/* >"), "a%2Eb.%2A%20%3E");
  EXPECT_EQ(subject_of("", "/a//b/"), "a.%.b.%");
  EXPECT_EQ(subject_of("", "/$x"), "%24x");
  EXPECT_EQ(subject_of("p", ""), "p.%");
  EXPECT_EQ(subject_of("", "/\xff"), "");
  EXPECT_EQ(subject_of("", std::string(4000, 'x')), "");
}

TEST(NatsEndpoint, TakesAllThatIsDocumented) {
  Endpoint endpoint = Endpoint::of(location("server/site/robot1", {{"stream", "S"},
                                                                   {"durable", "d"},
                                                                   {"deliver", "new"},
                                                                   {"token", "t"},
                                                                   {"user", "joe"},
                                                                   {"password", "secret"},
                                                                   {"times", "sent"}}));
  EXPECT_EQ(endpoint.address.port, 4222);
  EXPECT_EQ(endpoint.address.prefix, "site.robot1");
  EXPECT_EQ(endpoint.everything(), "site.robot1.>");
  EXPECT_TRUE(endpoint.is_from_now);
  EXPECT_TRUE(endpoint.keeps_time);
  EXPECT_TRUE(Endpoint::of(location("server", {}, "tls")).is_tls);
  EXPECT_EQ(Endpoint::of(location("server")).everything(), ">");
  EXPECT_FALSE(transport("nats").holds_back(location("server")));
  EXPECT_TRUE(transport("nats").holds_back(location("server", {{"stream", "S"}})));
}

TEST(NatsEndpoint, WhatIsInvalidIsRefusedWithoutItsSecrets) {
  using Parameters = std::map<std::string, std::string>;
  for (const Parameters& parameters : {Parameters{{"durable", "d"}},
                                       {{"deliver", "new"}},
                                       {{"bond", "secret"}},
                                       {{"stream", "a b"}},
                                       {{"stream", "a.b"}},
                                       {{"deliver", "old"}},
                                       {{"ca", "/etc/passwd"}}}) {
    Error error = test::thrown_by([&] { Endpoint::of(location("server", parameters)); });
    EXPECT_EQ(error.code(), ErrorCode::invalid) << parameters.begin()->first;
    EXPECT_THAT(error.what(), Not(HasSubstr("secret")));
  }
  for (const char* path : {"server/a b", "server/>", "server/a//b", "", "joe:secret@server"}) {
    Error error = test::thrown_by([&] { Endpoint::of(location(path)); });
    EXPECT_EQ(error.code(), ErrorCode::invalid) << path;
    EXPECT_THAT(error.what(), Not(HasSubstr("secret")));
  }
}

TEST(NatsSubjects, PatternsHaveWordsAndRests) {
  EXPECT_TRUE(matches_subject("a.b", "a.b"));
  EXPECT_TRUE(matches_subject("a.*", "a.b"));
  EXPECT_TRUE(matches_subject("a.>", "a.b.c"));
  EXPECT_TRUE(matches_subject(">", "a"));
  EXPECT_TRUE(matches_subject("*.b.>", "a.b.c"));
  for (const char* pattern : {"a", "a.b.c", "a.c", "b.*", "a.b.>", "*"}) {
    EXPECT_FALSE(matches_subject(pattern, "a.b")) << pattern;
  }
}

TEST(Seen, WhatComesTwiceIsNotNew) {
  Seen seen(8);
  for (std::uint64_t number : {5U, 6U, 9U, 7U, 8U}) EXPECT_TRUE(seen.take(number)) << number;
  for (std::uint64_t number : {5U, 6U, 7U, 8U, 9U}) EXPECT_FALSE(seen.take(number)) << number;
  EXPECT_TRUE(seen.take(14));
  for (std::uint64_t number : {10U, 11U, 12U, 13U}) EXPECT_TRUE(seen.take(number)) << number;
  EXPECT_FALSE(seen.take(9));
  EXPECT_TRUE(seen.take(1'000'000));
  for (std::uint64_t i = 1; i < 8; ++i) EXPECT_TRUE(seen.take(1'000'000 - i));
  for (std::uint64_t i = 0; i < 8; ++i) EXPECT_FALSE(seen.take(1'000'000 - i));
  // Further back than what is remembered.
  EXPECT_TRUE(seen.take(3));
  EXPECT_TRUE(seen.take(3));
}

NatsMessage some_message() {
  nats_Open(-1);  // else it cannot be freed
  natsMsg* made = nullptr;
  natsMsg_Create(&made, "a", nullptr, "x", 1);
  return NatsMessage(made);
}

TEST(Outbox, KeepsWhatIsNotConfirmedInOrder) {
  Outbox outbox;
  EXPECT_EQ(outbox.next(), 1U);
  for (int i = 0; i < 4; ++i) outbox.add(some_message(), 10);
  EXPECT_TRUE(outbox.confirm(2));
  EXPECT_FALSE(outbox.confirm(2));
  EXPECT_FALSE(outbox.confirm(0));
  EXPECT_FALSE(outbox.confirm(5));
  EXPECT_EQ(outbox.size(), 3U);
  EXPECT_TRUE(outbox.confirm(1));
  int count = 0;
  outbox.each([&](natsMsg*) { return ++count < 10; });
  EXPECT_EQ(count, 2);
  EXPECT_EQ(outbox.next(), 5U);
  outbox.confirm_all();
  EXPECT_TRUE(outbox.empty());
  EXPECT_EQ(outbox.next(), 5U);
  EXPECT_TRUE(outbox.has_room(Outbox::kMostBytes * 2));
  outbox.add(some_message(), Outbox::kMostBytes);
  EXPECT_FALSE(outbox.has_room(1));
}

TEST(NatsTransport, AServerThatIsNotThereIsTold) {
  Location place = location(fmt::format("127.0.0.1:{}", test::free_port()));
  Session session{Registry()};
  Feed feed(1 << 20, OnFull::block, session.clock());
  EXPECT_EQ(test::thrown_by([&] { subscribe(place, {}, feed, session); }).code(), ErrorCode::io);
  EXPECT_EQ(test::thrown_by([&] { publish(place, {}, session); }).code(), ErrorCode::io);
}

/// One for all tests of this program.
std::uint16_t nats_port() {
  static TemporaryFolder folder;
  static const std::uint16_t port = test::free_port();
  static test::ServerProcess server({test::find_program("nats-server"), "-a", "127.0.0.1", "-p",
                                     std::to_string(port), "-js", "-sd", folder.path()},
                                    port);
  return port;
}

test::TransportCase over_nats(const std::string& folder) {
  if (test::find_program("nats-server").empty()) return {};
  std::string name = folder.substr(folder.rfind('/') + 1);
  Location place = location(fmt::format("127.0.0.1:{}/{}", nats_port(), name));
  return {transport("nats"), place, place, false};
}

/// A stream of its own for each test.
test::TransportCase over_jetstream(const std::string& folder) {
  test::TransportCase made = over_nats(folder);
  if (!made.transport.subscribe) return made;
  made.listen.parameters = {{"stream", "S" + made.listen.path.substr(made.listen.path.size() - 6)}};
  Endpoint endpoint = Endpoint::of(made.listen);
  Connection connection = connect(endpoint, {});
  jsCtx* context = nullptr;
  natsConnection_JetStream(&context, connection.get(), nullptr);
  std::unique_ptr<jsCtx, Free> owner(context);
  jsStreamConfig config;
  jsStreamConfig_Init(&config);
  std::string subject = endpoint.everything();
  const char* subjects[] = {subject.c_str()};
  config.Name = endpoint.stream.c_str();
  config.Subjects = subjects;
  config.SubjectsLen = 1;
  EXPECT_EQ(js_AddStream(nullptr, context, &config, nullptr, nullptr), NATS_OK);
  made.publish.parameters = made.listen.parameters;
  return made;
}

}  // namespace
}  // namespace kitbag::nats

namespace kitbag::test {

INSTANTIATE_TEST_SUITE_P(Nats, TransportSuite,
                         ::testing::Values(nats::over_nats, nats::over_jetstream));

}  // namespace kitbag::test
