#include "transport/zmq/transport.h"

#include <gmock/gmock.h>

#include <chrono>
#include <future>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>
#include <zmq.hpp>

#include "tests/support/manual_clock.h"
#include "tests/support/memory_source.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/thrown_by.h"
#include "tests/support/transport_suite.h"
#include "transport/framing/framing.h"

namespace kitbag::zmq_transport {
namespace {

using test::MemorySource;
using test::Samples;
using test::samples_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

class Zmq : public ::testing::Test {
 protected:
  Location location(const std::map<std::string, std::string>& parameters = {}) const {
    return {"zmq+ipc://x", "zmq+ipc", socket_path(), parameters};
  }
  std::string socket_path() const { return folder_.path("socket"); }
  std::string address() const { return "ipc://" + socket_path(); }

  std::unique_ptr<Subscriber> listen(std::map<std::string, std::string> parameters) {
    Subscription wanted;
    wanted.on_warning = [this](const Error& problem) { warnings_.push_back(problem.message()); };
    return subscribe(location(parameters), wanted, feed_, session_);
  }

  /// All messages until the end of the feed.
  Samples rest() {
    Samples samples;
    for (Batch batch; feed_.read(batch, {}); batch.clear()) {
      for (auto& sample : samples_of(batch)) samples.push_back(std::move(sample));
    }
    return samples;
  }

  void publish_all(const Samples& samples, const std::map<std::string, std::string>& parameters) {
    MemorySource source(samples);
    auto publisher = publish(location(parameters), {}, session_);
    EXPECT_TRUE(publisher->await_subscribers({}));
    for (Batch batch; source.read(batch, {}); batch = Batch()) publisher->write(std::move(batch));
    publisher->close();
  }

  TemporaryFolder folder_;
  Session session_{Registry()};
  Feed feed_{64 << 20, OnFull::block, session_.clock()};
  std::vector<std::string> warnings_;
  const Samples samples_{{"/a", 10, "one"},
                         {"/b", 20, std::string(kLendBytes + 5, 'b'), "other/Type"},
                         {"/a", 30, ""},
                         {"/b", 40, "last", "other/Type"}};
};

TEST_F(Zmq, WhatIsPushedIsPulled) {
  auto subscriber = listen({{"bind", "1"}, {"once", "1"}, {"times", "sent"}});
  publish_all(samples_, {});
  EXPECT_EQ(rest(), samples_);
}

TEST_F(Zmq, WhoSendsMayBind) {
  auto subscriber = listen({{"once", "1"}, {"times", "sent"}});
  publish_all(samples_, {{"bind", "1"}});
  EXPECT_EQ(rest(), samples_);
}

TEST_F(Zmq, WhoSubscribesGetsWhatIsPublished) {
  auto subscriber = listen({{"once", "1"}, {"times", "sent"}, {"pattern", "pubsub"}});
  publish_all(samples_, {{"bind", "1"}, {"pattern", "pubsub"}});
  EXPECT_EQ(rest(), samples_);
}

/// A publisher, and a receiver that takes what it was asked for and no more.
class EndOfPushing : public Zmq {
 protected:
  static constexpr std::size_t kMoreThanIsUnderWay = 5000;

  EndOfPushing() {
    pull_.set(zmq::sockopt::rcvhwm, 10);
    pull_.bind(address());
  }

  /// Sends a message on each of these channels, all of which have come when it returns.
  void send_on(std::size_t channels) {
    Samples samples;
    for (std::size_t i = 0; i < channels; ++i) samples.push_back({"/" + std::to_string(i), 10, ""});
    MemorySource source(samples);
    auto sent = std::async(std::launch::async, [&] {
      for (Batch batch; source.read(batch, {}); batch = Batch()) {
        publisher_->write(std::move(batch));
      }
    });
    for (std::size_t i = 0; i < 2 * channels; ++i) take();
    sent.get();
  }

  /// The topic of the next message, or of a description.
  std::string take() {
    std::vector<zmq::message_t> frames;
    for (bool has_more = true; has_more; has_more = frames.back().more()) {
      frames.emplace_back();
      EXPECT_TRUE(pull_.recv(frames.back()));
    }
    return frames.front().to_string();
  }

  void begin_closing() {
    closed_ = std::async(std::launch::async, [this] { publisher_->close(); });
  }
  bool is_closed_after(Duration time) {
    for (Duration passed{}; passed < time; passed += std::chrono::seconds(1)) {
      clock_->advance(std::chrono::seconds(1));
      if (closed_.wait_for(std::chrono::milliseconds(30)) == std::future_status::ready) return true;
    }
    return false;
  }

  std::shared_ptr<ManualClock> clock_ = std::make_shared<ManualClock>();
  Session timed_session_{Registry(), clock_};
  zmq::context_t context_;
  zmq::socket_t pull_{context_, zmq::socket_type::pull};
  std::stop_source stop_;
  std::vector<std::string> told_;
  std::unique_ptr<Publisher> publisher_ = publish(
      location(),
      {stop_.get_token(), [this](const Error& warning) { told_.push_back(warning.message()); }},
      timed_session_);
  std::future<void> closed_;
};

TEST_F(EndOfPushing, DoesNotWaitForOneWhoHasGone) {
  send_on(1);
  pull_.close();
  while (publisher_->await_subscribers({{}, clock_->steady()})) {
  }
  begin_closing();
  EXPECT_TRUE(is_closed_after(std::chrono::hours(1)));
  closed_.get();
  EXPECT_THAT(told_, ElementsAre(HasSubstr("a receiver has left before the end")));
}

TEST_F(EndOfPushing, WaitsForOneWhoIsSlow) {
  send_on(kMoreThanIsUnderWay);
  clock_->advance(std::chrono::seconds(10));  // all channels are described again
  begin_closing();
  EXPECT_FALSE(is_closed_after(std::chrono::minutes(1)));
  for (std::size_t i = 0; i < kMoreThanIsUnderWay; ++i) EXPECT_NE(take(), "");
  EXPECT_EQ(take(), "");
  pull_.close();
  closed_.get();
  EXPECT_THAT(told_, SizeIs(0));
}

TEST_F(EndOfPushing, WaitsNoLongerThanUntilAStop) {
  MemorySource source(Samples(50, {"/large", 10, std::string(1 << 20, 'x')}));
  for (Batch batch; source.read(batch, {}); batch = Batch()) publisher_->write(std::move(batch));
  begin_closing();
  EXPECT_FALSE(is_closed_after(std::chrono::minutes(1)));
  stop_.request_stop();
  while (!is_closed_after(std::chrono::seconds(1))) {
  }
  EXPECT_EQ(test::thrown_by([this] { closed_.get(); }).code(), ErrorCode::cancelled);
  auto begin = std::chrono::steady_clock::now();
  publisher_.reset();
  EXPECT_LT(std::chrono::steady_clock::now() - begin,
            std::chrono::seconds(20));  // ZeroMQ does not linger
}

TEST_F(EndOfPushing, AStopLeavesTimeToTakeWhatWasSent) {
  send_on(kMoreThanIsUnderWay);
  clock_->advance(std::chrono::seconds(10));
  begin_closing();
  stop_.request_stop();
  EXPECT_EQ(closed_.wait_for(std::chrono::milliseconds(50)), std::future_status::timeout);
  while (take() != "") {
  }
  closed_.get();
}

/// A program that is not kitbag.
class Foreign : public Zmq {
 protected:
  void send(const std::vector<std::string>& frames) {
    for (std::size_t i = 0; i < frames.size(); ++i) {
      bool is_last = i + 1 == frames.size();
      socket_.send(zmq::buffer(frames[i]),
                   is_last ? zmq::send_flags::none : zmq::send_flags::sndmore);
    }
  }
  void connect() { socket_.connect(address()); }

  zmq::context_t context_;
  zmq::socket_t socket_{context_, zmq::socket_type::push};
};

TEST_F(Foreign, AHeaderNeedsToSayNothing) {
  auto subscriber = listen({{"bind", "1"}, {"once", "1"}, {"times", "sent"}});
  connect();
  send({"/a", "{}", "payload"});
  send({"/a", R"({"encoding":"json","log_time":5,"schema":{"name":"T"},"more":[{}]})", "{}"});
  send({"", std::string(framing::kEndHeader)});
  auto received = rest();
  ASSERT_THAT(received, SizeIs(2));
  EXPECT_EQ(received[0].data, "payload");
  EXPECT_EQ(received[1], (test::Sample{"/a", 5, "{}", "T"}));
  EXPECT_THAT(*feed_.channels(), SizeIs(2));
}

TEST_F(Foreign, MessagesWaitForTheDescriptionOfTheirChannel) {
  auto subscriber = listen({{"bind", "1"}, {"once", "1"}, {"times", "sent"}});
  connect();
  send({"/a", R"({"channel":"x","log_time":1})", "first"});
  send({"/a", R"({"channel":"x","schema":{"name":"Described"}})"});
  send({"/a", R"({"channel":"x","log_time":2})", "second"});
  send({"/a", R"({"channel":"y","log_time":3})", "of a channel that is never described"});
  send({"", std::string(framing::kEndHeader)});
  EXPECT_THAT(rest(),
              ElementsAre(test::Sample{"/a", 1, "first", "Described"},
                          test::Sample{"/a", 2, "second", "Described"},
                          test::Sample{"/a", 3, "of a channel that is never described", ""}));
}

TEST_F(Foreign, WhatIsNoMessageIsToldOnceAKindAndLeftOut) {
  auto subscriber = listen({{"bind", "1"}, {"once", "1"}, {"times", "sent"}});
  connect();
  std::string deep(100'000, '[');
  send({"alone"});
  send({"/a", "no JSON", "x"});
  send({"/a", "[]", "x"});
  send({"/a", R"({"schema":7})", "x"});
  send({"/a", R"({"schema":{"name":)" + deep + "}", "x"});
  send({"/a", "{}", "one", "too many"});
  send({std::string(framing::kMostTopicBytes + 1, 't'), "{}", "x"});
  send({"/a", R"({"log_time":1})", "good"});
  send({"", std::string(framing::kEndHeader)});
  EXPECT_THAT(rest(), ElementsAre(test::Sample{"/a", 1, "good", ""}));
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr("three frames"), HasSubstr("header"),
                                     HasSubstr("topic"), HasSubstr("7 messages were left out")));
}

TEST_F(Foreign, AnyProgramReadsThreeFrames) {
  zmq::socket_t pull(context_, zmq::socket_type::pull);
  pull.bind(address());
  publish_all({{"/a", 10, "payload"}}, {});
  std::vector<std::string> frames;
  bool goes_on = true;
  while (goes_on) {
    zmq::message_t frame;
    ASSERT_TRUE(pull.recv(frame));
    frames.push_back(frame.to_string());
    goes_on = frame.more() || frame.to_string() != framing::kEndHeader;
  }
  ASSERT_THAT(frames, SizeIs(7));
  EXPECT_EQ(frames[0], "/a");
  EXPECT_EQ(framing::parse_header(frames[1])->schema->name, "test/Type");
  EXPECT_EQ(frames[2], "/a");
  EXPECT_EQ(framing::parse_header(frames[3])->log_time, from_ns(10));
  EXPECT_EQ(framing::parse_header(frames[3])->id, framing::parse_header(frames[1])->id);
  EXPECT_EQ(frames[4], "payload");
}

TEST_F(Zmq, UnknownParametersAreRefused) {
  for (const auto& parameters : std::vector<std::map<std::string, std::string>>{
           {{"bond", "1"}}, {{"bind", "yes"}}, {{"pattern", "reqrep"}}, {{"times", "mine"}}}) {
    auto error = test::thrown_by([&] { publish(location(parameters), {}, session_); });
    EXPECT_EQ(error.code(), ErrorCode::invalid) << parameters.begin()->first;
  }
  Location nowhere{"zmq+tcp://", "zmq+tcp", "", {}};
  EXPECT_EQ(test::thrown_by([&] { publish(nowhere, {}, session_); }).code(), ErrorCode::invalid);
}

TEST_F(Zmq, AnAddressThatIsTakenIsTold) {
  Location taken{"zmq+tcp://256.0.0.1:1", "zmq+tcp", "256.0.0.1:1", {{"bind", "1"}}};
  auto error = test::thrown_by([&] { publish(taken, {}, session_); });
  EXPECT_EQ(error.code(), ErrorCode::io);
  EXPECT_THAT(error.what(), HasSubstr("256.0.0.1"));
}

test::TransportCase where_the_listener_binds(const std::string& folder) {
  Location place{"zmq+ipc://x", "zmq+ipc", folder + "/socket", {}};
  Location bound = place;
  bound.parameters = {{"bind", "1"}};
  return {transport("zmq+ipc"), bound, place};
}

test::TransportCase where_the_sender_binds(const std::string& folder) {
  test::TransportCase turned = where_the_listener_binds(folder);
  std::swap(turned.listen, turned.publish);
  return turned;
}

}  // namespace
}  // namespace kitbag::zmq_transport

namespace kitbag::test {

INSTANTIATE_TEST_SUITE_P(Zmq, TransportSuite,
                         ::testing::Values(zmq_transport::where_the_listener_binds,
                                           zmq_transport::where_the_sender_binds));

}  // namespace kitbag::test
