#include "transport/framing/receiver.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tests/support/manual_clock.h"
#include "tests/support/memory_source.h"

namespace kitbag::framing {
namespace {

using test::Sample;
using test::Samples;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using namespace std::chrono_literals;

std::optional<Header> parsed(const std::string& json) {
  return parse_header(json);
}

TEST(Header, EveryMemberIsTaken) {
  auto header = parsed(R"({"channel":"c","encoding":"ros1","log_time":5,"publish_time":7,
      "sequence":4294967295,"schema":{"name":"T","language":"ros1msg","text":"x"},
      "metadata":{"k":"v"},"end":true})");
  ASSERT_TRUE(header);
  EXPECT_EQ(header->id, "c");
  EXPECT_EQ(header->encoding, "ros1");
  EXPECT_EQ(header->schema, (Schema{"T", "ros1msg", "x"}));
  EXPECT_EQ(header->metadata, (std::map<std::string, std::string>{{"k", "v"}}));
  EXPECT_EQ(header->log_time, from_ns(5));
  EXPECT_EQ(header->publish_time, from_ns(7));
  EXPECT_EQ(header->sequence, UINT32_MAX);
  EXPECT_TRUE(header->is_end);
}

TEST(Header, TimesMayBeAsLargeAsTheyAre) {
  for (std::int64_t ns :
       {std::int64_t{0}, std::int64_t{4294967296}, 1'767'225'600'000'000'000, INT64_MAX}) {
    EXPECT_EQ(parsed(fmt::format(R"({{"log_time":{}}})", ns))->log_time, from_ns(ns));
  }
}

/// Most formats cannot store them: one would end the recording.
TEST(Header, TimesBefore1970AreRefused) {
  for (const char* name : {"log_time", "publish_time"}) {
    EXPECT_FALSE(parsed(fmt::format(R"({{"{}":-1}})", name))) << name;
  }
}

TEST(Header, WhatIsNotKnownIsIgnored) {
  auto header = parsed(R"({"more":[{"channel":"no"},[]],"schema":{"x":{"name":1},"name":"T"},
      "other":null,"encoding":"json"})");
  ASSERT_TRUE(header);
  EXPECT_EQ(header->id, "");
  EXPECT_EQ(header->schema->name, "T");
  EXPECT_EQ(header->encoding, "json");
  EXPECT_FALSE(parsed(R"({"schema":null})")->schema);
}

TEST(Header, WhatIsOfAnotherKindIsRefused) {
  for (const char* json : {"",
                           "7",
                           "[]",
                           "null",
                           "{",
                           "{}}",
                           R"({"channel":7})",
                           R"({"encoding":null})",
                           R"({"schema":7})",
                           R"({"schema":[]})",
                           R"({"schema":{"text":{}}})",
                           R"({"schema":{"name":[]}})",
                           R"({"metadata":"x"})",
                           R"({"metadata":{"a":1}})",
                           R"({"metadata":{"a":{}}})",
                           R"({"metadata":[]})",
                           R"({"log_time":1.5})",
                           R"({"log_time":"1"})",
                           R"({"log_time":18446744073709551615})",
                           R"({"sequence":-1})",
                           R"({"sequence":4294967296})",
                           R"({"end":1})",
                           R"({"encoding":{}})"}) {
    EXPECT_FALSE(parsed(json)) << json;
  }
}

TEST(Header, DepthAndMetadataAreBounded) {
  std::string deep(kMostDepth, '[');
  std::string closed(kMostDepth, ']');
  EXPECT_TRUE(parsed("{\"x\":" + deep + closed + "}"));
  EXPECT_FALSE(parsed("{\"x\":[" + deep + closed + "]}"));
  EXPECT_FALSE(parsed("{\"x\":" + std::string(10 << 20, '[')));
  std::string many;
  for (std::size_t i = 0; i <= kMostMetadata; ++i) {
    many += fmt::format("{}\"{}\":\"\"", i > 0 ? "," : "", i);
  }
  EXPECT_FALSE(parsed("{\"metadata\":{" + many + "}}"));
}

class ReceiverTest : public ::testing::Test {
 protected:
  ReceiverTest() {
    wanted_.on_warning = [this](const Error& warning) { warnings_.push_back(warning.message()); };
  }

  Receiver receiver(const ReceiverLimits& limits = {}) {
    return Receiver(wanted_, "zmq+tcp://here", true, Session(Registry(), clock_), feed_, limits);
  }

  static bool take(Receiver& receiver, const std::vector<std::string>& frames) {
    std::vector<ByteView> views;
    for (const std::string& frame : frames) views.push_back(as_bytes(frame));
    auto kept = std::make_shared<std::vector<std::string>>(frames);  // as bytes that are lent
    views.back() = as_bytes(kept->back());
    return receiver.take(views, [&] { return kept; });
  }

  Samples rest() {
    feed_.close();
    Samples samples;
    for (Batch batch; feed_.read(batch, {}); batch.clear()) {
      for (auto& sample : test::samples_of(batch)) samples.push_back(std::move(sample));
    }
    return samples;
  }

  std::shared_ptr<ManualClock> clock_ = std::make_shared<ManualClock>();
  Feed feed_{1 << 20, OnFull::drop_oldest, clock_};
  Subscription wanted_;
  std::vector<std::string> warnings_;
};

TEST_F(ReceiverTest, HeadersOfHeldMessagesCountToo) {
  ReceiverLimits limits;
  limits.held_bytes = 1 << 20;
  Receiver receiver = this->receiver(limits);
  // The payload is nothing, the header much: first an id, then a definition.
  for (int i = 0; i < 100; ++i) {
    std::string id = fmt::format("{}{}", i, std::string(100 << 10, 'x'));
    take(receiver, {"/a", "{\"channel\":\"" + id + "\"}", ""});
    EXPECT_LE(receiver.held_bytes(), limits.held_bytes);
    take(receiver, {"/a", "{\"channel\":\"y\",\"schema\":{\"text\":\"" + id + "\"}}", ""});
    EXPECT_LE(receiver.held_bytes(), limits.held_bytes);
    take(receiver, {std::string(60 << 10, 't'), "{\"channel\":\"z\"}", ""});
    EXPECT_LE(receiver.held_bytes(), limits.held_bytes);
  }
  EXPECT_TRUE(receiver.holds_any());
  receiver.finish();
  EXPECT_EQ(receiver.held_bytes(), 0U);
}

TEST_F(ReceiverTest, ManyTinyHeldMessagesCountToo) {
  ReceiverLimits limits;
  limits.held_bytes = 1 << 20;
  Receiver receiver = this->receiver(limits);
  for (int i = 0; i < 20'000; ++i) take(receiver, {"", R"({"channel":"x"})", ""});
  std::size_t left = 20'000 - rest().size();
  EXPECT_LT(left, 2100U);
  EXPECT_GT(left, 1000U);
}

TEST_F(ReceiverTest, DescriptionsAreBoundedInAll) {
  ReceiverLimits limits;
  limits.channels.bytes = 4 << 20;
  Receiver receiver = this->receiver(limits);
  for (int i = 0; i < 100; ++i) {
    std::string text = fmt::format("{}{}", i, std::string(100 << 10, 'x'));
    take(receiver, {"/a", fmt::format(R"({{"channel":"{}","schema":{{"text":"{}"}}}})", i, text)});
    EXPECT_LE(receiver.channels().bytes(), limits.channels.bytes);
  }
  EXPECT_GT(receiver.channels().channels(), 30U);
  EXPECT_LT(receiver.channels().channels(), 45U);
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr("too many channels")));
  // What was known before is still taken, and so is the end.
  take(receiver, {"/a", R"({"channel":"0","log_time":3})", "x"});
  receiver.finish();
  EXPECT_THAT(rest(), ElementsAre(Sample{"/a", 3, "x", ""}));
  EXPECT_THAT(warnings_.back(), HasSubstr("messages were left out: "));
}

TEST_F(ReceiverTest, ChannelsAreBoundedInNumber) {
  ReceiverLimits limits;
  limits.channels.channels = 10;
  Receiver receiver = this->receiver(limits);
  for (int i = 0; i < 15; ++i) take(receiver, {fmt::format("/{}", i), "{}", "x"});
  for (int i = 0; i < 15; ++i) take(receiver, {"/0", fmt::format(R"({{"channel":"{}"}})", i)});
  receiver.finish();
  EXPECT_THAT(rest(), SizeIs(10));
  EXPECT_THAT(*feed_.channels(), SizeIs(10));
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr("too many channels"), HasSubstr("10 messages")));
}

TEST_F(ReceiverTest, EqualDefinitionsAreKeptOnce) {
  Receiver receiver = this->receiver();
  std::string text(100 << 10, 'x');
  for (int i = 0; i < 300; ++i) {
    take(receiver, {fmt::format("/{}", i), R"({"schema":{"text":")" + text + "\"}}", "x"});
  }
  EXPECT_EQ(receiver.channels().channels(), 300U);
  EXPECT_LT(receiver.channels().bytes(), 500'000U);
  EXPECT_THAT(warnings_, IsEmpty());
}

TEST_F(ReceiverTest, ManyChannelsAreFoundAtOnce) {
  Receiver receiver = this->receiver();
  // With a search through all of them, this takes minutes.
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < 20'000; ++i) take(receiver, {fmt::format("/{}", i), "{}", ""});
  }
  EXPECT_EQ(receiver.channels().channels(), 20'000U);
}

TEST_F(ReceiverTest, AnIdMayBeDescribedAnew) {
  Receiver receiver = this->receiver();
  take(receiver, {"/a", R"({"channel":"x","schema":{"name":"Old"}})"});
  take(receiver, {"/a", R"({"channel":"x","log_time":1})", "one"});
  take(receiver, {"/a", R"({"channel":"x","schema":{"name":"New"}})"});
  take(receiver, {"/a", R"({"channel":"x","log_time":2})", "two"});
  EXPECT_THAT(rest(), ElementsAre(Sample{"/a", 1, "one", "Old"}, Sample{"/a", 2, "two", "New"}));
}

TEST_F(ReceiverTest, ListsTheTopicsThatItHasHeardOf) {
  wanted_.select.exclude = {"*"};  // also those that are not wanted
  Receiver receiver = this->receiver();
  EXPECT_THAT(receiver.topics(), IsEmpty());
  take(receiver, {"/b", R"({"channel":"x","schema":{"name":"B"}})"});
  take(receiver, {"/a", "{}", "one"});
  take(receiver, {"/b", R"({"channel":"y","encoding":"json","schema":{"name":"B"}})"});
  auto topics = receiver.topics();
  ASSERT_THAT(topics, SizeIs(2));
  EXPECT_EQ(topics[0].topic, "/a");
  EXPECT_EQ(topics[0].type, "");
  EXPECT_EQ(topics[1].topic, "/b");
  EXPECT_EQ(topics[1].type, "B");
  EXPECT_THAT(feed_.channels(), testing::Pointee(IsEmpty()));
}

TEST_F(ReceiverTest, AnIdIsOfItsTopic) {
  Receiver receiver = this->receiver();
  take(receiver, {"/a", R"({"channel":"x","schema":{"name":"A"}})"});
  take(receiver, {"/b", R"({"channel":"x","log_time":1})", "of another"});
  take(receiver, {"/b", R"({"channel":"x","schema":{"name":"B"}})"});
  take(receiver, {"/a", R"({"channel":"x","log_time":2})", "of a"});
  EXPECT_THAT(rest(),
              ElementsAre(Sample{"/b", 1, "of another", "B"}, Sample{"/a", 2, "of a", "A"}));
}

TEST_F(ReceiverTest, WhatIsNeverDescribedIsPushedAfterAWhile) {
  Receiver receiver = this->receiver();
  take(receiver, {"/a", R"({"channel":"x","log_time":1,"encoding":"json"})", "{}"});
  clock_->advance(1s);
  take(receiver, {"/a", R"({"channel":"x","log_time":2,"encoding":"json"})", "{}"});
  clock_->advance(1s);
  receiver.tick();
  EXPECT_TRUE(receiver.holds_any());
  take(receiver, {"/a", R"({"channel":"x","schema":{"name":"Late"}})"});
  EXPECT_FALSE(receiver.holds_any());
  EXPECT_THAT(rest(), ElementsAre(Sample{"/a", 1, "{}", ""}, Sample{"/a", 2, "{}", "Late"}));
}

TEST_F(ReceiverTest, LargePayloadsAreLentAndSmallOnesCopied) {
  Receiver receiver = this->receiver();
  std::string large(kLendBytes, 'l');
  take(receiver, {"/a", R"({"channel":"x","log_time":1})", large});
  take(receiver, {"/a", R"({"channel":"x","log_time":2})", "small"});
  take(receiver, {"/a", R"({"log_time":3})", large});
  receiver.finish();
  EXPECT_THAT(rest(), ElementsAre(Sample{"/a", 3, large, ""}, Sample{"/a", 1, large, ""},
                                  Sample{"/a", 2, "small", ""}));
}

class NumberedTest : public ReceiverTest {
 protected:
  void take_numbered(Receiver& receiver, const std::string& topic, std::uint64_t sender,
                     std::uint64_t number) {
    Parsed parsed;
    parsed.topic = topic;
    parsed.header.log_time = from_ns(static_cast<std::int64_t>(number));
    parsed.header.sender = sender;
    parsed.header.number = number;
    receiver.take(parsed, nullptr);
  }
};

TEST_F(NumberedTest, WhatIsMissingIsCountedAndWhatComesTwiceIsLeftOut) {
  Receiver receiver = this->receiver();
  for (std::uint64_t number : {5U, 6U, 9U, 8U, 9U, 10U}) take_numbered(receiver, "/a", 1, number);
  for (std::uint64_t number : {6U, 7U}) take_numbered(receiver, "/b", 1, number);
  for (std::uint64_t number : {1U, 1U, 3U}) take_numbered(receiver, "/a", 2, number);
  for (int i = 0; i < 2; ++i) take_numbered(receiver, "/c", 0, 7);
  EXPECT_THAT(feed_.lost(), ElementsAre(3, 0, 0));
  EXPECT_THAT(rest(),
              ElementsAre(Sample{"/a", 5, "", ""}, Sample{"/a", 6, "", ""}, Sample{"/a", 9, "", ""},
                          Sample{"/a", 10, "", ""}, Sample{"/b", 6, "", ""},
                          Sample{"/b", 7, "", ""}, Sample{"/a", 1, "", ""}, Sample{"/a", 3, "", ""},
                          Sample{"/c", 7, "", ""}, Sample{"/c", 7, "", ""}));
}

TEST_F(NumberedTest, WhatIsMissingBeforeTheEndIsCounted) {
  Receiver receiver = this->receiver();
  auto end = [&](const std::string& topic, std::uint64_t sender, std::uint64_t number) {
    Parsed parsed;
    parsed.kind = Parsed::Kind::description;
    parsed.topic = topic;
    parsed.header.sender = sender;
    parsed.header.number = number;
    receiver.take(parsed, nullptr);
  };
  for (std::uint64_t number : {1U, 2U}) take_numbered(receiver, "/a", 1, number);
  take_numbered(receiver, "/b", 1, 7);
  take_numbered(receiver, "/c", 1, 1);
  end("/a", 1, 5);
  end("/b", 1, 7);
  end("/b", 2, 9);  // of whom nothing was heard here
  end("/c", 1, 2);
  take_numbered(receiver, "/c", 1, 2);  // it was on its way
  receiver.finish();
  EXPECT_THAT(feed_.lost(), ElementsAre(3, 0, 0));
  receiver.finish();
  EXPECT_THAT(feed_.lost(), ElementsAre(3, 0, 0));
}

/// Anybody may send any number: a jump that no sender makes is a new beginning.
TEST_F(NumberedTest, AJumpThatIsTooLargeIsNoLoss) {
  Receiver receiver = this->receiver();
  for (std::uint64_t number : {std::uint64_t{1}, UINT64_MAX - 1, UINT64_MAX}) {
    take_numbered(receiver, "/a", 1, number);
  }
  EXPECT_THAT(feed_.lost(), ElementsAre(0));
  EXPECT_THAT(rest(), SizeIs(3));
}

}  // namespace
}  // namespace kitbag::framing
