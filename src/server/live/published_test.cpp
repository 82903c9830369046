#include "server/live/published.h"

#include <gmock/gmock.h>

#include <chrono>

#include "kitbag/error.h"
#include "server/live/hub.h"
#include "server/live/test_client.h"
#include "tests/support/manual_clock.h"

namespace kitbag::server {
namespace {

using foxglove::Advertise;
using foxglove::AdvertisedChannel;
using foxglove::Status;
using foxglove::Unadvertise;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using namespace std::chrono_literals;

AdvertisedChannel channel(std::uint64_t id, const std::string& topic,
                          const std::string& encoding = "json") {
  AdvertisedChannel made;
  made.id = id;
  made.channel.topic = topic;
  made.channel.encoding = encoding;
  return made;
}

class Published : public ::testing::Test {
 protected:
  static PublishLimits limits() {
    PublishLimits limits;
    limits.channels = 3;
    limits.definition_bytes = 1000;
    limits.messages_per_second = 10;
    limits.bytes_per_second = 1000;
    limits.recorder_bytes = 1 << 20;
    return limits;
  }
  TestClient client() { return TestClient(hub_.client(&published_)); }

  static std::vector<std::string> complaints(const TestClient& client) {
    std::vector<std::string> texts;
    for (const Status& each : client.sent->all<Status>()) texts.push_back(each.message);
    return texts;
  }

  /// "/topic text" of what is at hand.
  std::vector<std::string> take(Source& source) {
    clock_->advance(20ms);
    Batch batch;
    EXPECT_TRUE(source.read(batch, {{}, SteadyTime::min()}));
    std::vector<std::string> taken;
    for (const Message& message : std::as_const(batch).messages()) {
      taken.push_back(message.channel->topic + " " + std::string(as_text(message.data)));
    }
    return taken;
  }

  std::shared_ptr<ManualClock> clock_ = std::make_shared<ManualClock>(from_ns(1'000'000'000));
  LiveHub hub_{clock_};
  PublishedMessages published_{hub_, clock_, limits()};
};

TEST_F(Published, TheServerSaysWhatItAccepts) {
  auto info = client().sent->all<foxglove::ServerInfo>().at(0);
  EXPECT_THAT(info.capabilities, ElementsAre("time", "clientPublish"));
  EXPECT_THAT(info.encodings, ElementsAre("json", "cdr", "ros1", "protobuf"));
  TestClient other(hub_.client());
  EXPECT_THAT(other.sent->all<foxglove::ServerInfo>().at(0).capabilities, ElementsAre("time"));
  other.say(Advertise{{channel(1, "/a")}});
  other.say(Unadvertise{{1}});
  other.publish(1, "x");
  EXPECT_THAT(complaints(other), SizeIs(3));
  EXPECT_THAT(complaints(other), ::testing::Each(HasSubstr("not accepted")));
}

TEST_F(Published, AllClientsGetWhatOneSends) {
  TestClient viewer = client();
  TestClient sender = client();
  sender.say(Advertise{{channel(70, "/goal")}});
  auto offered = viewer.sent->all<Advertise>().back().channels;
  ASSERT_THAT(offered, SizeIs(1));
  EXPECT_EQ(offered[0].channel.topic, "/goal");
  viewer.subscribe(5, offered[0].id);
  sender.subscribe(6, offered[0].id);
  sender.publish(70, "{}");
  EXPECT_THAT(viewer.sent->messages, ElementsAre(std::pair(5U, "{}")));
  EXPECT_THAT(sender.sent->messages, ElementsAre(std::pair(6U, "{}")));
  EXPECT_THAT(complaints(sender), IsEmpty());
}

TEST_F(Published, ARecorderGetsItFromNowOn) {
  TestClient sender = client();
  sender.say(Advertise{{channel(1, "/early"), channel(2, "/goal")}});
  sender.publish(1, "before");
  auto source = published_.source();
  sender.publish(2, "now");
  EXPECT_THAT(take(*source), ElementsAre("/goal now"));
  EXPECT_THAT(*source->channels(), SizeIs(1));
  source.reset();
  sender.publish(2, "nobody records");
  EXPECT_THAT(complaints(sender), IsEmpty());
  EXPECT_THAT(take(*published_.source()), IsEmpty());
}

TEST_F(Published, AFullRecorderLosesMessagesAndTheClientIsWarned) {
  auto source = published_.source();
  auto wide = limits();
  wide.messages_per_second = wide.bytes_per_second = 1 << 30;
  wide.recorder_bytes = 5000;
  PublishedMessages narrow(hub_, clock_, wide);
  auto recorder = narrow.source();
  TestClient sender(hub_.client(&narrow));
  sender.say(Advertise{{channel(1, "/a")}});
  for (int i = 0; i < 10; ++i) sender.publish(1, std::string(1000, 'x'));
  EXPECT_THAT(complaints(sender), ElementsAre(HasSubstr("the recorder is too slow")));
  EXPECT_THAT(take(*recorder), SizeIs(4));
}

TEST_F(Published, EqualChannelsAreOneAndStay) {
  TestClient viewer = client();
  for (int i = 0; i < 100; ++i) {
    TestClient sender = client();
    sender.say(Advertise{{channel(1, "/a"), channel(9, "/a")}});
    sender.say(Unadvertise{{1}});
    sender.publish(9, "x");
    sender.say(Unadvertise{{9}});
    EXPECT_THAT(complaints(sender), IsEmpty());
    sender.session->on_close();
    clock_->advance(1s);
  }
  EXPECT_THAT(viewer.sent->all<Advertise>(), SizeIs(2));  // of the beginning, and of the channel
}

TEST_F(Published, WhatMakesNoSenseIsAnError) {
  TestClient sender = client();
  sender.publish(1, "x");
  sender.say(Unadvertise{{1}});
  sender.say(Advertise{{channel(1, "")}});
  sender.say(Advertise{{channel(1, "/a", "cbor")}});
  sender.say(Advertise{{channel(1, "/a")}});
  sender.say(Advertise{{channel(1, "/b")}});
  EXPECT_THAT(complaints(sender),
              ElementsAre(HasSubstr("advertise it first"), HasSubstr("no channel 1"),
                          HasSubstr("needs a topic"), HasSubstr("\"cbor\" are not accepted"),
                          HasSubstr("another channel 1")));
}

TEST_F(Published, ThereAreNotTooManyChannels) {
  TestClient sender = client();
  auto large = channel(1, "/large");
  large.channel.schema =
      std::make_shared<const Schema>(Schema{"S", "jsonschema", std::string(1000, ' ')});
  sender.say(Advertise{{large}});
  EXPECT_THAT(complaints(sender), ElementsAre(HasSubstr("too many channels")));
  sender.say(Advertise{{channel(1, "/b"), channel(2, "/a"), channel(3, "/c")}});
  EXPECT_THAT(complaints(sender), SizeIs(1));
  sender.say(Advertise{{channel(4, "/d")}});
  sender.say(Advertise{{channel(4, "/a")}});
  EXPECT_THAT(complaints(sender), ElementsAre(HasSubstr("too many"), HasSubstr("too many channels"),
                                              HasSubstr("at most 3 channels")));
}

TEST_F(Published, AClientThatSendsTooFastLosesMessages) {
  TestClient sender = client();
  TestClient other = client();
  TestClient viewer = client();
  for (const TestClient* each : {&sender, &other}) each->say(Advertise{{channel(1, "/a")}});
  viewer.subscribe(1, viewer.sent->all<Advertise>().back().channels[0].id);
  for (int i = 0; i < 30; ++i) sender.publish(1, "x");
  EXPECT_THAT(viewer.sent->messages, SizeIs(10));
  EXPECT_THAT(complaints(sender), ElementsAre(EndsWith("dropped so far: 1")));
  other.publish(1, "x");
  EXPECT_THAT(viewer.sent->messages, SizeIs(11));
  clock_->advance(1s);
  for (int i = 0; i < 30; ++i) sender.publish(1, "x");
  EXPECT_THAT(viewer.sent->messages, SizeIs(21));
  EXPECT_THAT(complaints(sender), ElementsAre(EndsWith("far: 1"), EndsWith("far: 21")));
  clock_->advance(1s);
  sender.publish(1, std::string(900, 'x'));
  sender.publish(1, std::string(900, 'x'));
  EXPECT_THAT(viewer.sent->messages, SizeIs(22));
}

}  // namespace
}  // namespace kitbag::server
