#include "tests/support/transport_suite.h"

#include <stop_token>

#include "tests/support/thrown_by.h"

namespace kitbag::test {

// No transport of the library sends and receives yet.
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(TransportSuite);

TEST_P(TransportSuite, WhatIsSentIsReceivedInOrder) {
  auto subscriber = listen();
  publish_all(samples_);
  Samples received = receive(samples_.size());
  ASSERT_EQ(received.size(), samples_.size());
  for (std::size_t i = 0; i < received.size(); ++i) {
    EXPECT_EQ(received[i].topic, samples_[i].topic) << i;
    EXPECT_EQ(received[i].type, samples_[i].type) << i;
    EXPECT_TRUE(received[i].data == samples_[i].data) << i;
  }
}

TEST_P(TransportSuite, LogTimesAreThoseOfTheReceiver) {
  auto subscriber = listen();
  Time before = session_.clock()->wall();
  publish_all(samples_);
  Samples received = receive(samples_.size());
  ASSERT_EQ(received.size(), samples_.size());
  for (std::size_t i = 0; i < received.size(); ++i) {
    EXPECT_GE(from_ns(received[i].time), before);
    EXPECT_EQ(received[i].publish_time, samples_[i].time);
  }
}

TEST_P(TransportSuite, ChannelsKeepAllThatTheyHave) {
  auto subscriber = listen();
  MemoryOptions options;
  options.metadata = {{"callerid", "/node \"x\""}, {"latching", "1"}};
  publish_all(samples_, options);
  receive(samples_.size());
  MemorySource source(samples_, options);
  ASSERT_EQ(feed_.channels()->size(), source.channels()->size());
  for (const ChannelPtr& sent : *source.channels()) {
    EXPECT_TRUE(same_content(*sent, *(*feed_.channels())[sent->slot])) << sent->topic;
  }
}

TEST_P(TransportSuite, OnlyWhatIsSelectedIsReceived) {
  Selection select;
  select.topics = {"/b"};
  auto subscriber = listen(select);
  publish_all(samples_);
  Samples received = receive(2);
  ASSERT_EQ(received.size(), 2U);
  EXPECT_EQ(received[0].topic, "/b");
  EXPECT_EQ(received[1].data, "last");
  EXPECT_EQ(feed_.channels()->size(), 1U);
}

TEST_P(TransportSuite, AStopGivesWhatHasComeAndEndsTheFeed) {
  auto subscriber = listen();
  publish_all(samples_);
  Samples received = receive(1);
  subscriber->stop();
  for (Sample& sample : receive(SIZE_MAX)) received.push_back(std::move(sample));
  ASSERT_LE(received.size(), samples_.size());
  for (std::size_t i = 0; i < received.size(); ++i) {
    EXPECT_TRUE(received[i].data == samples_[i].data) << i;
  }
  Batch batch;
  EXPECT_FALSE(feed_.read(batch, {{}, session_.clock()->steady()})) << "the feed is not closed";
}

/// The feed has room for one message: the subscriber waits with the others.
TEST_P(TransportSuite, AReaderThatHasGoneKeepsNobodyWaiting) {
  Feed full(100, OnFull::block, session_.clock());
  auto subscriber = case_.transport.subscribe(case_.listen, {}, full, session_);
  publish_all({{"/a", 10, "one"}, {"/a", 20, "two"}, {"/a", 30, "three"}, {"/a", 40, "four"}});
  Batch batch;
  EXPECT_TRUE(full.read(batch, {{}, session_.clock()->steady() + kPatience}));
  full.abandon();
  subscriber.reset();
}

TEST_P(TransportSuite, APublisherWithoutSubscribersWaitsUntilItIsStopped) {
  if (!case_.knows_subscribers) return;
  std::stop_source stop;
  auto publisher = case_.transport.publish(case_.publish, {stop.get_token(), {}}, session_);
  EXPECT_FALSE(publisher->await_subscribers({{}, session_.clock()->steady()}));
  MemorySource source(samples_);
  Batch batch;
  ASSERT_TRUE(source.read(batch, {}));
  stop.request_stop();
  auto error = thrown_by([&] { publisher->write(std::move(batch)); });
  EXPECT_EQ(error.code(), ErrorCode::cancelled);
}

TEST_P(TransportSuite, UnknownParametersAreRefused) {
  case_.listen.parameters["bond"] = "1";
  case_.publish.parameters["bond"] = "1";
  EXPECT_EQ(thrown_by([&] { listen(); }).code(), ErrorCode::invalid);
  auto publish = [&] { case_.transport.publish(case_.publish, {}, session_); };
  EXPECT_EQ(thrown_by(publish).code(), ErrorCode::invalid);
}

}  // namespace kitbag::test
