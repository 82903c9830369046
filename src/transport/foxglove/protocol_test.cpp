#include <gmock/gmock.h>

#include <string>

#include "kitbag/error.h"
#include "kitbag/foxglove.h"
#include "tests/support/thrown_by.h"

namespace kitbag::foxglove {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

template <class Wanted>
Wanted parsed(const std::string& json) {
  return std::get<Wanted>(parse_text(json));
}

std::string bytes(std::initializer_list<int> values) {
  std::string made;
  for (int value : values) made += static_cast<char>(value);
  return made;
}

Channel channel(std::string topic, std::string encoding, const Schema& schema) {
  return {.topic = std::move(topic),
          .encoding = std::move(encoding),
          .schema = std::make_shared<const Schema>(schema)};
}

TEST(FoxgloveText, TheExamplesOfTheSpecificationAreUnderstood) {
  auto info = parsed<ServerInfo>(R"({"op": "serverInfo", "name": "example server",
      "capabilities": ["clientPublish", "time"], "supportedEncodings": ["json"],
      "metadata": {"key": "value"}, "sessionId": "1675789422160"})");
  EXPECT_EQ(info.name, "example server");
  EXPECT_TRUE(info.can("time"));
  EXPECT_FALSE(info.can("services"));
  EXPECT_THAT(info.encodings, ElementsAre("json"));
  EXPECT_EQ(info.session_id, "1675789422160");
  EXPECT_EQ(parsed<Status>(R"({"op": "status", "level": 0, "message": "Some info"})"),
            (Status{0, "Some info"}));
  auto advertised = parsed<Advertise>(R"({"op": "advertise", "channels": [{"id": 1, "topic": "foo",
      "encoding": "protobuf", "schemaName": "ExampleMsg", "schema": "ZXhhbXBsZSBkYXRh"}]})");
  ASSERT_EQ(advertised.channels.size(), 1U);
  EXPECT_EQ(advertised.channels[0].id, 1U);
  EXPECT_TRUE(same_content(advertised.channels[0].channel,
                           channel("foo", "protobuf", {"ExampleMsg", "protobuf", "example data"})));
  EXPECT_THAT(parsed<Unadvertise>(R"({"op": "unadvertise", "channelIds": [1, 2]})").ids,
              ElementsAre(1, 2));
  auto wanted = parsed<Subscribe>(R"({"op": "subscribe", "subscriptions": [
      {"id": 0, "channelId": 3}, {"id": 1, "channelId": 5}]})");
  ASSERT_EQ(wanted.subscriptions.size(), 2U);
  EXPECT_EQ(wanted.subscriptions[1].channel, 5U);
  EXPECT_THAT(parsed<Unsubscribe>(R"({"op": "unsubscribe", "subscriptionIds": [0, 1]})").ids,
              ElementsAre(0, 1));
  EXPECT_EQ(parsed<OtherText>(R"({"op": "fetchAsset", "requestId": 123})").op, "fetchAsset");
}

TEST(FoxgloveText, WhatIsWrittenIsRead) {
  ServerInfo info{"a \"name\"",
                  {"time", "playbackControl"},
                  {"cdr"},
                  {{from_ns(1'000'000'002), from_ns(3'999'999'999)}},
                  "7"};
  EXPECT_EQ(parsed<ServerInfo>(to_json(info)), info);
  EXPECT_EQ(parsed<Status>(to_json(Status{2, "it\nfails"})), (Status{2, "it\nfails"}));
  for (const Channel& each :
       {channel("/a", "ros1", {"std_msgs/String", "ros1msg", "string data\n"}),
        channel("/b", "cdr", {"std_msgs/msg/Empty", "ros2msg", ""}),
        channel("/c", "cdr", {"a::b", "ros2idl", "struct b {};"}),
        channel("/d", "json", {"J", "jsonschema", R"({"type":"object"})"}),
        channel("/e", "protobuf", {"P", "protobuf", std::string("\0\xff\x01", 3)}),
        Channel{.topic = "/f", .encoding = "json"}}) {
    auto text = parsed<Advertise>(to_json(Advertise{{{9, each}}}));
    EXPECT_EQ(text.channels.at(0).id, 9U);
    EXPECT_TRUE(same_content(text.channels[0].channel, each)) << each.topic;
  }
  EXPECT_EQ(to_json(Unadvertise{{1, 2}}), R"({"op":"unadvertise","channelIds":[1,2]})");
  EXPECT_EQ(to_json(Subscribe{{{4, 5}}}),
            R"({"op":"subscribe","subscriptions":[{"id":4,"channelId":5}]})");
  EXPECT_EQ(to_json(Unsubscribe{{4}}), R"({"op":"unsubscribe","subscriptionIds":[4]})");
}

TEST(FoxgloveText, TheEncodingNamesTheLanguageWhereNothingElseDoes) {
  for (auto [encoding, language] : {std::pair("ros1", "ros1msg"), std::pair("cdr", "ros2msg"),
                                    std::pair("json", "jsonschema"), std::pair("cbor", "cbor")}) {
    auto text = parsed<Advertise>(
        std::string(R"({"op":"advertise","channels":[{"id":1,"topic":"/a","schemaName":"T",)") +
        R"("schema":"{}","encoding":")" + encoding + R"("}]})");
    EXPECT_EQ(text.channels.at(0).channel.schema->language, language);
  }
}

TEST(FoxgloveText, WhatIsMalformedIsRefused) {
  for (const std::string& text :
       {std::string(), std::string("no JSON"), std::string("[]"), std::string("{}"),
        std::string(R"({"op":7})"), std::string(R"({"op":"status"})"),
        std::string(R"({"op":"status","level":-1,"message":""})"),
        std::string(R"({"op":"serverInfo","capabilities":"time"})"),
        std::string(R"({"op":"serverInfo","dataStartTime":{"sec":1},"dataEndTime":{}})"),
        std::string(R"({"op":"advertise"})"), std::string(R"({"op":"advertise","channels":[7]})"),
        std::string(R"({"op":"advertise","channels":[{"id":1.5,"topic":"a","encoding":"b"}]})"),
        std::string(R"({"op":"advertise","channels":[{"id":1,"encoding":"b"}]})"),
        std::string(R"({"op":"advertise","channels":[{"id":1,"topic":"a","encoding":"protobuf",
                        "schemaName":"x","schema":"???"}]})"),
        std::string(R"({"op":"subscribe","subscriptions":[{"id":4294967296,"channelId":1}]})"),
        std::string(R"({"op":"unadvertise","channelIds":[-1]})"), std::string(1'000'000, '['),
        std::string(kMostTextBytes + 1, ' '),
        "{\"op\":\"status\",\"x\":[" + std::string(6'000'000, ',') + "]}"}) {
    auto error = test::thrown_by([&] { parse_text(text); });
    EXPECT_EQ(error.code(), ErrorCode::corrupt) << text.substr(0, 80);
    EXPECT_THAT(error.message(), HasSubstr("malformed message"));
  }
}

TEST(FoxgloveFrame, ServerFramesAreAsTheSpecificationHasThem) {
  auto head = message_head(0x01020304, from_ns(0x0506));
  EXPECT_EQ(as_text(head), bytes({1, 4, 3, 2, 1, 6, 5, 0, 0, 0, 0, 0, 0}));
  std::string frame = std::string(as_text(head)) + "payload";
  auto message = std::get<MessageData>(parse_server_frame(as_bytes(frame)));
  EXPECT_EQ(message.subscription, 0x01020304U);
  EXPECT_EQ(message.log_time, from_ns(0x0506));
  EXPECT_EQ(as_text(message.payload), "payload");
  EXPECT_EQ(to_frame(TimeUpdate{from_ns(258)}), bytes({2, 2, 1, 0, 0, 0, 0, 0, 0}));
  std::string state =
      to_frame(PlaybackState{PlaybackState::Status::ended, from_ns(12345), 1, true, "id"});
  EXPECT_EQ(state,
            bytes({5, 3, 0x39, 0x30, 0, 0, 0, 0, 0, 0, 0, 0, 0x80, 0x3f, 1, 2, 0, 0, 0, 'i', 'd'}));
  auto back = std::get<PlaybackState>(parse_server_frame(as_bytes(state)));
  EXPECT_EQ(back.status, PlaybackState::Status::ended);
  EXPECT_EQ(back.now, from_ns(12345));
  EXPECT_TRUE(back.did_seek);
  EXPECT_EQ(back.request_id, "id");
}

TEST(FoxgloveFrame, ClientFramesAreAsTheSpecificationHasThem) {
  auto head = published_head(7);
  EXPECT_EQ(as_text(head), bytes({1, 7, 0, 0, 0}));
  std::string frame = std::string(as_text(head)) + "x";
  auto message = std::get<PublishedData>(parse_client_frame(as_bytes(frame)));
  EXPECT_EQ(message.channel, 7U);
  EXPECT_EQ(as_text(message.payload), "x");
  std::string request = to_frame(
      PlaybackRequest{PlaybackRequest::Command::pause, 0.5, from_ns(100'500'000'000), "a"});
  EXPECT_EQ(request.size(), 1U + 1 + 4 + 1 + 8 + 4 + 1);
  auto back = std::get<PlaybackRequest>(parse_client_frame(as_bytes(request)));
  EXPECT_EQ(back.command, PlaybackRequest::Command::pause);
  EXPECT_EQ(back.speed, 0.5F);
  EXPECT_EQ(back.seek, from_ns(100'500'000'000));
  EXPECT_EQ(back.request_id, "a");
  std::string none = to_frame(PlaybackRequest{});
  EXPECT_EQ(std::get<PlaybackRequest>(parse_client_frame(as_bytes(none))).seek, std::nullopt);
}

TEST(FoxgloveFrame, WhatIsCutOffOrImpossibleIsRefused) {
  std::string state = to_frame(PlaybackState{});
  std::string request = to_frame(PlaybackRequest{});
  for (std::size_t size = 0; size < state.size(); ++size) {
    EXPECT_ERROR(corrupt, parse_server_frame(as_bytes(state.substr(0, size))));
  }
  for (std::size_t size = 0; size < request.size(); ++size) {
    EXPECT_ERROR(corrupt, parse_client_frame(as_bytes(request.substr(0, size))));
  }
  EXPECT_ERROR(corrupt, parse_server_frame(as_bytes(bytes({1, 0, 0, 0}))));
  EXPECT_ERROR(corrupt, parse_server_frame(as_bytes(bytes({5, 9}) + state.substr(2))));
  EXPECT_ERROR(corrupt, parse_client_frame(as_bytes(bytes({3, 2}) + request.substr(2))));
  EXPECT_ERROR(corrupt, parse_server_frame(as_bytes(bytes({2}) + std::string(8, '\xff'))));
  std::string lies = request;
  lies[lies.size() - 4] = 100;  // the length of the request's id
  EXPECT_ERROR(corrupt, parse_client_frame(as_bytes(lies)));
  EXPECT_EQ(std::get<OtherFrame>(parse_server_frame(as_bytes("z"))).opcode, 'z');
}

}  // namespace
}  // namespace kitbag::foxglove
