#include "transport/broker/intake.h"

#include <gmock/gmock.h>

#include "kitbag/feed.h"
#include "kitbag/session.h"
#include "tests/support/manual_clock.h"
#include "tests/support/memory_source.h"
#include "transport/broker/within.h"

namespace kitbag::broker {
namespace {

using test::Sample;
using test::Samples;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class IntakeTest : public ::testing::Test {
 protected:
  static Fields fields_of(const std::vector<Field>& given) {
    Fields fields;
    for (const Field& field : given) fields.take(field.name, field.value);
    return fields;
  }

  bool take(const std::string& topic, const std::vector<Field>& given, const std::string& payload) {
    Fields fields = fields_of(given);
    return intake_.take(topic, fields, as_bytes(payload), nullptr);
  }

  Samples rest() {
    intake_.finish();
    feed_.close();
    Samples samples;
    for (Batch batch; feed_.read(batch, {}); batch.clear()) {
      for (auto& sample : test::samples_of(batch)) samples.push_back(std::move(sample));
    }
    return samples;
  }

  std::vector<std::string> encodings() const {
    std::vector<std::string> all;
    for (const ChannelPtr& channel : *feed_.channels()) all.push_back(channel->encoding);
    return all;
  }

  std::shared_ptr<ManualClock> clock_ = std::make_shared<ManualClock>();
  Feed feed_{1 << 20, OnFull::drop_oldest, clock_};
  std::vector<std::string> warnings_;
  Subscription wanted_{
      {}, {}, [this](const Error& warning) { warnings_.push_back(warning.message()); }};
  Intake intake_{wanted_, "mqtt://here", true, Session(Registry(), clock_), feed_};
};

TEST_F(IntakeTest, WhatIsSentIsTaken) {
  auto schema = std::make_shared<const Schema>(Schema{"T", "ros1msg", "int8 x\n"});
  Channel channel{"/a b", "ros1", schema, {{"callerid", "/node"}}};
  SentChannel sent(channel, 7, true);
  Message message{&channel, 3, 0, from_ns(5), from_ns(9), as_bytes(std::string_view("x"))};
  // The message comes before what explains its channel.
  take("/a%20b", sent.fields(message), "x");
  take(std::string(kChannelsTopic) + sent.id(), sent.description_fields(), sent.description());
  take("/a%20b", sent.fields(message), "y");
  EXPECT_TRUE(take(std::string(kEndTopic), {{kEndField, "1"}}, ""));
  Sample first{"/a b", 5, "x", "T", 9};
  Sample second{"/a b", 5, "y", "T", 9};
  EXPECT_THAT(rest(), ElementsAre(first, second));
  EXPECT_TRUE(same_content(*feed_.channels()->front(), channel));
  EXPECT_THAT(warnings_, IsEmpty());
}

TEST_F(IntakeTest, WhatStrangersSendIsJsonOrBytes) {
  take("/json", {}, R"({"x":1})");
  take("/json", {}, "no JSON, but stored as it is");
  take("/number", {}, "21.5");
  take("/bytes", {}, std::string("\x80\0x", 3));
  take("/bytes", {}, "{}");
  take("/empty", {}, "");
  take("/told", {{"kitbag-encoding", "cdr"}, {"kitbag-type", "T"}}, "{}");
  EXPECT_THAT(rest(), testing::SizeIs(7));
  EXPECT_THAT(encodings(), ElementsAre("json", "json", "", "", "cdr"));
}

TEST_F(IntakeTest, WhatIsInvalidIsCountedAndLeftOut) {
  for (const char* name : {"kitbag-log-time", "kitbag-publish-time", "kitbag-sequence",
                           "kitbag-sender", "kitbag-number"}) {
    for (const char* value : {"x", "", "-1x", "99999999999999999999"}) {
      take("/a", {{name, value}}, "x");
    }
  }
  for (const char* name : {"kitbag-log-time", "kitbag-publish-time"}) {
    take("/a", {{name, "-1"}}, "x");
  }
  take("/a", {{"kitbag-topic", std::string(framing::kMostTopicBytes + 1, 't')}}, "x");
  take("\xff", {}, "x");
  take("/" + std::string(framing::kMostTopicBytes, 't'), {}, "x");
  take(std::string(kChannelsTopic) + "x", {{"kitbag-topic", "/a"}}, "no JSON");
  take(std::string(kChannelsTopic) + "x", {{"kitbag-topic", "/a"}}, "");  // withdrawn
  take("/a", {{"kitbag-log-time", "1"}, {"unknown", "x"}}, "x");
  EXPECT_THAT(rest(), ElementsAre(Sample{"/a", 1, "x", ""}));
  EXPECT_THAT(warnings_,
              ElementsAre(HasSubstr("kitbag-"), HasSubstr("not UTF-8"), HasSubstr("64 KiB"),
                          HasSubstr("header"), HasSubstr("26 messages were left out")));
}

/// A broker keeps descriptions of channels that are no more.
TEST_F(IntakeTest, ChannelsAreAddedWithTheirFirstMessage) {
  Channel channel{"/a", "ros1", nullptr, {}};
  SentChannel sent(channel, 7, false);
  Message message{&channel, 3, 0, from_ns(5), from_ns(5), {}};
  take(std::string(kChannelsTopic) + sent.id(), sent.description_fields(), sent.description());
  EXPECT_THAT(*feed_.channels(), IsEmpty());
  take("/a", sent.fields(message), "");
  EXPECT_THAT(*feed_.channels(), testing::SizeIs(1));
}

TEST_F(IntakeTest, AnEndIsOneOnItsTopicAlone) {
  EXPECT_FALSE(take("/a", {{kEndField, "1"}}, "x"));
  EXPECT_FALSE(take(std::string(kEndTopic), {}, "x"));
  EXPECT_TRUE(take(std::string(kEndTopic), {{kEndField, "1"}}, ""));
}

TEST(Plain, TextsHaveNoControlCharactersAndAreUtf8) {
  EXPECT_TRUE(is_plain(""));
  EXPECT_TRUE(is_plain("/caf\xc3\xa9 x"));
  for (const char* text : {"\n", "a\rb", "\x7f", "\xff", "\xc3"}) EXPECT_FALSE(is_plain(text));
}

TEST(Within, GivesTheResultOrTheErrorOrNothing) {
  using namespace std::chrono_literals;
  EXPECT_EQ(result_within<int>(60s, {}, [] { return 7; }), 7);
  EXPECT_THROW(result_within<int>(60s, {}, []() -> int { throw Error(ErrorCode::io, "no"); }),
               Error);
  std::stop_source stop;
  stop.request_stop();
  auto goes_on = std::make_shared<std::atomic<bool>>(true);
  auto wait = [goes_on] {
    while (*goes_on) std::this_thread::sleep_for(1ms);
    return 7;
  };
  EXPECT_FALSE(result_within<int>(60s, stop.get_token(), wait));
  EXPECT_FALSE(result_within<int>(10ms, {}, wait));
  *goes_on = false;
}

}  // namespace
}  // namespace kitbag::broker
