#include "transport/broker/publisher.h"

#include <gmock/gmock.h>

#include "tests/support/manual_clock.h"
#include "tests/support/memory_source.h"
#include "tests/support/thrown_by.h"

namespace kitbag::broker {
namespace {

using test::MemorySource;
using test::Samples;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// At this broker a topic has the same name, unless it has a space.
std::string name_of(std::string_view prefix, std::string_view topic) {
  if (topic.find(' ') != std::string_view::npos) return {};
  return std::string(prefix) + std::string(topic);
}
std::optional<std::string> topic_of(std::string_view, std::string_view name) {
  return name.starts_with("/plain") ? std::optional(std::string(name)) : std::nullopt;
}

/// Sends to a list. Payloads of more than ten bytes are too large.
class ListPublisher final : public BrokerPublisher {
 public:
  ListPublisher(const Publication& how, const Session& session,
                std::optional<Duration> describe_again)
      : BrokerPublisher("list", "list://here", {name_of, topic_of, "p", "a name has no spaces"},
                        describe_again, how, session) {}

  bool await_subscribers(const Wait&) override { return true; }
  void write(Batch&& batch) override { send(batch); }
  void close() override {
    if (!begin_close()) return;
    EXPECT_NE(patience_end(), kNever);
    send_end();
    report(refused, "full");
  }

  using BrokerPublisher::describe_anew;
  using BrokerPublisher::patience_end;
  using BrokerPublisher::stopped;

  std::vector<std::string> sent;  ///< names, those of descriptions without the channel
  std::vector<std::string> topic_fields;
  std::vector<std::string> last_numbers;  ///< those of messages, and behind them of descriptions
  std::uint64_t refused = 0;

 private:
  void submit(const Outgoing& message) override {
    if (message.kind == Kind::message && message.payload.size() > 10) {
      return leave_out_message(*message.sent, "it is too large");
    }
    sent.push_back(message.kind == Kind::description ? "description of " + message.sent->topic
                                                     : message.name);
    for (const Field& field : message.fields) {
      bool is_topic = message.kind == Kind::message && field.name == std::string_view(kTopicField);
      if (is_topic) topic_fields.push_back(field.value);
      if (field.name == std::string_view(kNumberField)) last_numbers.push_back(field.value);
    }
  }
};

class BrokerPublisherTest : public ::testing::Test {
 protected:
  void write(ListPublisher& to, const Samples& samples) {
    MemorySource source(samples);
    for (Batch batch; source.read(batch, {}); batch = Batch()) to.write(std::move(batch));
  }

  std::shared_ptr<ManualClock> clock_ = std::make_shared<ManualClock>();
  Session session_{Registry(), clock_};
  std::vector<std::string> warnings_;
  Publication how_{{}, [this](const Error& error) { warnings_.push_back(error.message()); }};
};

TEST_F(BrokerPublisherTest, AChannelIsDescribedBeforeItsMessages) {
  ListPublisher publisher(how_, session_, std::nullopt);
  write(publisher, {{"/plain", 1, "a"}, {"/other", 2, "b"}, {"/plain", 3, "c"}});
  EXPECT_THAT(publisher.sent, ElementsAre("description of /plain", "p/plain",
                                          "description of /other", "p/other", "p/plain"));
  EXPECT_THAT(publisher.topic_fields, ElementsAre("/other")) << "which its name does not tell";
}

TEST_F(BrokerPublisherTest, ADescriptionIsRepeatedWhenItsTimeHasCome) {
  ListPublisher publisher(how_, session_, std::chrono::seconds(1));
  write(publisher, {{"/plain", 1, "a"}});
  publisher.sent.clear();
  clock_->advance(std::chrono::milliseconds(999));
  write(publisher, {{"/plain", 2, "b"}});
  EXPECT_THAT(publisher.sent, ElementsAre("p/plain"));
  clock_->advance(std::chrono::milliseconds(1));
  write(publisher, {{"/plain", 3, "c"}});
  EXPECT_THAT(publisher.sent, ElementsAre("p/plain", "description of /plain", "p/plain"));
}

TEST_F(BrokerPublisherTest, ADescriptionIsRepeatedWhenItIsAskedFor) {
  ListPublisher publisher(how_, session_, std::nullopt);
  write(publisher, {{"/plain", 1, "a"}});
  clock_->advance(std::chrono::hours(1));
  publisher.sent.clear();
  publisher.describe_anew();
  write(publisher, {{"/plain", 2, "b"}, {"/plain", 3, "c"}});
  EXPECT_THAT(publisher.sent, ElementsAre("description of /plain", "p/plain", "p/plain"));
}

TEST_F(BrokerPublisherTest, WhatIsLeftOutIsToldOncePerChannelAndCounted) {
  ListPublisher publisher(how_, session_, std::nullopt);
  std::string large(11, 'x');
  write(publisher,
        {{"/plain", 1, large}, {"/plain", 2, "a"}, {"/plain", 3, large}, {"/a b", 4, ""}});
  publisher.close();
  EXPECT_THAT(publisher.sent, ElementsAre("description of /plain", "p/plain",
                                          "description of /plain", "p/kitbag/end"));
  EXPECT_THAT(warnings_, ElementsAre("/a b: left out; a name has no spaces",
                                     "/plain: left out; it is too large; further ones are counted",
                                     "3 messages were left out"));
}

TEST_F(BrokerPublisherTest, CloseSendsTheEndOnce) {
  ListPublisher publisher(how_, session_, std::nullopt);
  EXPECT_EQ(publisher.patience_end(), kNever);
  publisher.close();
  publisher.close();
  EXPECT_THAT(publisher.sent, ElementsAre("p/kitbag/end"));
  EXPECT_THAT(warnings_, IsEmpty());
}

TEST_F(BrokerPublisherTest, CloseSaysHowManyMessagesThereWere) {
  ListPublisher publisher(how_, session_, std::nullopt);
  write(publisher, {{"/plain", 1, "a"}, {"/plain", 2, "b"}});
  publisher.sent.clear();
  publisher.close();
  EXPECT_THAT(publisher.sent, ElementsAre("description of /plain", "p/kitbag/end"));
  EXPECT_THAT(publisher.last_numbers, ElementsAre("1", "2", "2"));
}

TEST_F(BrokerPublisherTest, CloseThrowsIfMessagesWereRefused) {
  ListPublisher publisher(how_, session_, std::nullopt);
  publisher.refused = 2;
  Error error = test::thrown_by([&] { publisher.close(); });
  EXPECT_EQ(error.code(), ErrorCode::io);
  EXPECT_STREQ(error.what(), "list://here: the list has refused 2 messages: full");
}

TEST_F(BrokerPublisherTest, AStopSaysWhatIsNotAcknowledged) {
  ListPublisher publisher(how_, session_, std::nullopt);
  EXPECT_EQ(publisher.stopped(0).message(), "stopped while waiting for the list");
  EXPECT_EQ(publisher.stopped(3).message(),
            "stopped while waiting for the list; it has not acknowledged the last 3 messages");
  EXPECT_EQ(publisher.stopped(3).code(), ErrorCode::cancelled);
}

}  // namespace
}  // namespace kitbag::broker
