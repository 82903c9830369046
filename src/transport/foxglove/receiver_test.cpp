#include "transport/foxglove/receiver.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "tests/support/memory_source.h"
#include "tests/support/thrown_by.h"
#include "transport/foxglove/endpoint.h"

namespace kitbag::foxglove {
namespace {

using test::Sample;
using test::Samples;
using test::samples_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class FoxgloveReceiver : public ::testing::Test {
 protected:
  Receiver& receiver(const Selection& select = {}, const ReceiverLimits& limits = {}) {
    Subscription wanted;
    wanted.select = select;
    wanted.on_warning = [this](const Error& problem) { warnings_.push_back(problem.message()); };
    receiver_ = std::make_unique<Receiver>(wanted, "server", true, session_, feed_, limits);
    receiver_->begin();
    return *receiver_;
  }
  void advertise(std::uint64_t id, const std::string& topic, const std::string& type = "T") {
    Channel channel{.topic = topic,
                    .encoding = "json",
                    .schema = std::make_shared<const Schema>(Schema{type, "jsonschema", "{}"})};
    receiver_->take_text(to_json(Advertise{{{id, channel}}}), send_);
  }
  void message(std::uint32_t subscription, std::int64_t time, const std::string& payload) {
    auto head = message_head(subscription, from_ns(time));
    receiver_->take_frame(as_bytes(std::string(as_text(head)) + payload));
  }
  Samples rest() {
    feed_.close();
    Samples samples;
    for (Batch batch; feed_.read(batch, {}); batch.clear()) {
      for (auto& sample : samples_of(batch)) samples.push_back(std::move(sample));
    }
    return samples;
  }

  Session session_{Registry()};
  Feed feed_{1 << 20, OnFull::drop_oldest, session_.clock()};
  std::unique_ptr<Receiver> receiver_;
  std::vector<std::string> sent_;
  std::vector<std::string> warnings_;
  Receiver::Send send_ = [this](const std::string& json) { sent_.push_back(json); };
};

TEST_F(FoxgloveReceiver, SubscribesToWhatIsWanted) {
  Selection select;
  select.topics = {"/b"};
  receiver(select);
  advertise(4, "/a");
  advertise(5, "/b");
  EXPECT_THAT(sent_, ElementsAre(to_json(Subscribe{{{1, 5}}})));
  message(1, 10, "{}");
  EXPECT_THAT(rest(), ElementsAre(Sample{"/b", 10, "{}", "T"}));
  EXPECT_THAT(*feed_.channels(), SizeIs(1));
}

TEST_F(FoxgloveReceiver, AChannelThatIsAdvertisedTwiceIsOne) {
  receiver();
  advertise(4, "/a");
  advertise(4, "/a");
  EXPECT_THAT(sent_, SizeIs(1));
  advertise(9, "/a");  // another number of the same content
  EXPECT_THAT(sent_, SizeIs(2));
  message(1, 10, "1");
  message(2, 20, "2");
  EXPECT_THAT(rest(), ElementsAre(Sample{"/a", 10, "1", "T"}, Sample{"/a", 20, "2", "T"}));
  EXPECT_THAT(*feed_.channels(), SizeIs(1));
}

TEST_F(FoxgloveReceiver, ANumberMayGetAnotherMeaning) {
  receiver();
  advertise(4, "/a");
  advertise(4, "/b");
  EXPECT_THAT(sent_, ElementsAre(to_json(Subscribe{{{1, 4}}}), to_json(Unsubscribe{{1}}),
                                 to_json(Subscribe{{{2, 4}}})));
  message(1, 10, "late");
  message(2, 20, "2");
  EXPECT_THAT(rest(), ElementsAre(Sample{"/b", 20, "2", "T"}));
  EXPECT_THAT(warnings_, IsEmpty());
}

TEST_F(FoxgloveReceiver, AReconnectionGoesOnWithTheSameChannels) {
  receiver();
  advertise(4, "/a");
  message(1, 10, "1");
  receiver_->begin();
  advertise(77, "/a");
  EXPECT_EQ(sent_.back(), to_json(Subscribe{{{1, 77}}}));
  message(1, 20, "2");
  EXPECT_THAT(rest(), SizeIs(2));
  EXPECT_THAT(*feed_.channels(), SizeIs(1));
}

using Named = ConnectionGraphUpdate::Topic;

/// "/a T: publishers > subscribers".
std::vector<std::string> told(const Receiver& receiver) {
  std::vector<std::string> lines;
  for (const LiveTopic& each : receiver.topics()) {
    std::string line = each.topic + " " + each.type + ":";
    for (const LiveEndpoint& node : each.publishers) line += " " + node.node;
    line += " >";
    for (const LiveEndpoint& node : each.subscribers) line += " " + node.node;
    lines.push_back(line);
  }
  return lines;
}

TEST_F(FoxgloveReceiver, AsksForNodesWhereTheServerHasThem) {
  receiver();
  receiver_->take_text(to_json(ServerInfo{.name = "none", .capabilities = {"time"}}), send_);
  EXPECT_THAT(sent_, IsEmpty());
  receiver_->take_text(to_json(ServerInfo{.name = "x", .capabilities = {"connectionGraph"}}),
                       send_);
  EXPECT_THAT(sent_, ElementsAre(R"({"op":"subscribeConnectionGraph"})"));
  advertise(1, "/b");
  advertise(2, "/b", "U");
  advertise(3, "/c");
  receiver_->take_text(to_json(ConnectionGraphUpdate{
                           {{"/b", {"/two", "/one"}}}, {{"/a", {"/sink"}}, {"/b", {"/sink"}}}, {}}),
                       send_);
  EXPECT_THAT(told(*receiver_), ElementsAre("/a : > /sink", "/b T: /one /two > /sink",
                                            "/b U: /one /two > /sink", "/c T: >"));
  receiver_->take_text(
      to_json(ConnectionGraphUpdate{{{"/b", {"/two"}}, {"/c", {"/one"}}}, {{"/b", {}}}, {"/a"}}),
      send_);
  EXPECT_THAT(told(*receiver_), ElementsAre("/b T: /two >", "/b U: /two >", "/c T: /one >"));
  receiver_->begin();
  EXPECT_THAT(told(*receiver_), IsEmpty());
  EXPECT_THAT(warnings_, IsEmpty());
}

TEST_F(FoxgloveReceiver, NodesAreBoundedAndMalformedOnesCounted) {
  receiver({}, {.channels = {.bytes = 1000}});
  std::vector<Named> many;
  for (int i = 0; i < 100; ++i) many.push_back({"/t" + std::to_string(i), {"/node"}});
  for (int round = 0; round < 3; ++round) {
    receiver_->take_text(to_json(ConnectionGraphUpdate{many, many, {}}), send_);
    EXPECT_LE(receiver_->topics().size(), 3U);
  }
  std::vector<std::string> names;
  for (const Named& each : many) names.push_back(each.name);
  receiver_->take_text(to_json(ConnectionGraphUpdate{{}, {}, names}), send_);
  EXPECT_THAT(told(*receiver_), IsEmpty());
  receiver_->take_text(to_json(ConnectionGraphUpdate{{{"/b", {"/one"}}}, {}, {}}), send_);
  EXPECT_THAT(told(*receiver_), ElementsAre("/b : /one >"));
  for (const char* text :
       {R"("publishedTopics":1)", R"("publishedTopics":[1])", R"("publishedTopics":[{}])",
        R"("subscribedTopics":[{"name":"/b","subscriberIds":[1]}])", R"("removedTopics":[{}])"}) {
    receiver_->take_text(std::string(R"({"op":"connectionGraphUpdate",)") + text + "}", send_);
  }
  EXPECT_THAT(told(*receiver_), ElementsAre("/b : /one >"));
  receiver_->finish();
  EXPECT_THAT(warnings_.back(), HasSubstr("5 malformed"));
}

TEST_F(FoxgloveReceiver, WhatIsGoneComesNoMore) {
  receiver();
  advertise(4, "/a");
  receiver_->take_text(to_json(Unadvertise{{4, 5}}), send_);
  message(1, 10, "late");
  advertise(4, "/a");
  message(2, 20, "2");
  EXPECT_THAT(rest(), ElementsAre(Sample{"/a", 20, "2", "T"}));
}

TEST_F(FoxgloveReceiver, ListsWhatIsOfferedNow) {
  Selection select;
  select.topics = {"/b"};
  receiver(select);
  auto names = [this] {
    std::vector<std::string> all;
    for (const LiveTopic& each : receiver_->topics()) all.push_back(each.topic + " " + each.type);
    return all;
  };
  advertise(4, "/b");
  advertise(5, "/a");  // also what is not wanted
  advertise(5, "/a");
  advertise(6, "/a");
  EXPECT_THAT(names(), ElementsAre("/a T", "/b T"));
  advertise(4, "/c", "U");  // the number has another meaning
  EXPECT_THAT(names(), ElementsAre("/a T", "/c U"));
  receiver_->take_text(to_json(Unadvertise{{5, 4, 99}}), send_);
  EXPECT_THAT(names(), ElementsAre("/a T"));
  receiver_->begin();  // another connection
  EXPECT_THAT(names(), IsEmpty());
}

TEST_F(FoxgloveReceiver, WhatIsMalformedIsReportedOnceAKindAndLeftOut) {
  receiver();
  advertise(1, "/a");
  for (const char* text : {"no JSON", "[]", "{}", R"({"op":"advertise"})"}) {
    receiver_->take_text(text, send_);
  }
  receiver_->take_text(R"({"op":"somethingNew"})", send_);
  receiver_->take_frame({});
  receiver_->take_frame(as_bytes("\1short"));
  receiver_->take_frame(as_bytes("\x7funknown"));
  message(7, 10, "of no subscription");
  message(1, 10, "good");
  receiver_->finish();
  EXPECT_THAT(rest(), ElementsAre(Sample{"/a", 10, "good", "T"}));
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr("not a JSON object"), HasSubstr("subscription"),
                                     HasSubstr("7 messages were left out: 6 malformed, 1 of")));
}

TEST_F(FoxgloveReceiver, ChannelsAndTextsForPeopleAreBounded) {
  receiver({}, {.channels = {.channels = 3}, .statuses = 2});
  for (std::uint64_t id = 0; id < 10; ++id) advertise(id, "/" + std::to_string(id));
  EXPECT_THAT(*feed_.channels(), SizeIs(3));
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr("too many channels")));
  for (int i = 0; i < 10; ++i) receiver_->take_text(to_json(Status{1, "slow"}), send_);
  receiver_->take_text(to_json(Status{0, "hello"}), send_);
  EXPECT_THAT(warnings_, SizeIs(3));
}

TEST_F(FoxgloveReceiver, DefinitionsAreBounded) {
  receiver({}, {.channels = {.channels = 100, .bytes = 10'000}});
  std::string text(9'000, 'x');
  for (std::uint64_t id = 0; id < 3; ++id) advertise(id, "/" + std::to_string(id), text);
  EXPECT_THAT(*feed_.channels(), SizeIs(1));
}

TEST_F(FoxgloveReceiver, TheServerSaysThatItsDataHasEnded) {
  receiver();
  EXPECT_FALSE(receiver_->has_ended());
  PlaybackState state;
  state.status = PlaybackState::Status::ended;
  receiver_->take_frame(as_bytes(to_frame(state)));
  EXPECT_TRUE(receiver_->has_ended());
}

Endpoint endpoint(const std::string& path,
                  const std::map<std::string, std::string>& parameters = {}) {
  return Endpoint::of({"foxglove+ws://x", "foxglove+ws", path, parameters});
}

TEST(FoxgloveEndpoint, IsThatOfAViewersUrl) {
  auto made = endpoint("robot", {});
  EXPECT_EQ(made.target.host, "robot");
  EXPECT_EQ(made.target.port, "8765");
  EXPECT_EQ(made.target.target, "/");
  EXPECT_TRUE(made.keeps_time);
  made = endpoint("[::1]:90/bags/a b/live",
                  {{"rate", "2"}, {"once", "1"}, {"token", "x"}, {"k", "&"}});
  EXPECT_EQ(made.target.host, "::1");
  EXPECT_EQ(made.target.port, "90");
  EXPECT_EQ(made.target.target, "/bags/a%20b/live?k=%26&rate=2");
  EXPECT_EQ(made.target.token, "x");
  EXPECT_TRUE(made.is_once);
}

TEST(FoxgloveEndpoint, RefusesWhatIsNone) {
  for (const char* path : {"", ":80", "host:", "host:0", "host:70000", "host:x", "[::1"}) {
    EXPECT_ERROR(invalid, endpoint(path));
  }
  EXPECT_ERROR(invalid, endpoint("robot", {{"once", "yes"}}));
  EXPECT_ERROR(invalid, endpoint("robot", {{"times", "mine"}}));
  EXPECT_ERROR(invalid, endpoint("robot", {{"token", "a\r\nb: c"}}));
}

TEST(FoxgloveEndpoint, ThePasswordOfARefusedUserIsNotShown) {
  for (const char* user : {"joe:secret", "joe:se/cret", "joe:se@cret", "joe:/se/@cret", "joe"}) {
    Error error = test::thrown_by([&] { endpoint(std::string(user) + "@robot:80/live"); });
    EXPECT_EQ(error.code(), ErrorCode::invalid) << user;
    EXPECT_EQ(error.file(), "foxglove+ws://robot:80/live") << user;
    EXPECT_THAT(error.message(), HasSubstr("user and password do not belong")) << user;
  }
  EXPECT_EQ(endpoint("robot:80/a@b").target.target, "/a@b");
  EXPECT_EQ(endpoint("[::1]:80/a@b").target.host, "::1");
}

}  // namespace
}  // namespace kitbag::foxglove
