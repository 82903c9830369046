#include "server/live/hub.h"

#include <gmock/gmock.h>

#include <deque>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "kitbag/foxglove.h"
#include "tests/support/manual_clock.h"
#include "tests/support/memory_source.h"

namespace kitbag::server {
namespace {

using foxglove::Advertise;
using foxglove::MessageData;
using foxglove::Status;
using foxglove::Subscribe;
using test::MemoryOptions;
using test::MemorySource;
using test::Samples;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// Keeps what is sent to a client.
class Sent final : public WebSocketSender {
 public:
  void send_text(std::string text) override { texts.push_back(foxglove::parse_text(text)); }
  void send_binary(ByteView head, ByteView rest) override {
    std::string frame(as_text(head));
    frame += as_text(rest);
    auto parsed = foxglove::parse_server_frame(as_bytes(frame));
    if (const auto* message = std::get_if<MessageData>(&parsed)) {
      messages.emplace_back(message->subscription, as_text(message->payload));
    } else if (const auto* update = std::get_if<foxglove::TimeUpdate>(&parsed)) {
      times.push_back(to_ns(update->now));
    }
  }
  std::size_t waiting_bytes() const override { return waiting; }
  bool await_room(std::size_t /*bytes*/, std::stop_token /*stop*/) override { return true; }
  void close(const std::string& /*reason*/) override {}

  template <class Wanted>
  std::vector<Wanted> all() const {
    std::vector<Wanted> found;
    for (const auto& text : texts) {
      if (const auto* one = std::get_if<Wanted>(&text)) found.push_back(*one);
    }
    return found;
  }

  std::deque<foxglove::Text> texts;
  std::vector<std::pair<std::uint32_t, std::string>> messages;
  std::vector<std::int64_t> times;
  std::size_t waiting = 0;
};

class Hub : public ::testing::Test {
 protected:
  struct Client {
    std::shared_ptr<Sent> sent = std::make_shared<Sent>();
    std::unique_ptr<WebSocketSession> session;

    void subscribe(std::uint32_t id, std::uint64_t channel) const {
      session->on_text(foxglove::to_json(Subscribe{{{id, channel}}}));
    }
  };
  Client client() {
    Client made;
    made.session = hub_.client();
    made.session->on_open(made.sent);
    return made;
  }
  static void write(Sink& input, const Samples& samples, const MemoryOptions& options = {}) {
    MemorySource source(samples, options);
    for (Batch batch; source.read(batch, {}); batch = Batch()) input.write(std::move(batch));
  }

  std::shared_ptr<ManualClock> clock_ = std::make_shared<ManualClock>();
  LiveHub hub_{clock_};
};

TEST_F(Hub, EachClientGetsWhatItHasSubscribedTo) {
  auto input = hub_.input();
  write(*input, {{"/a", 1, "early"}, {"/b", 2, "early"}});
  Client first = client();
  Client second = client();
  ASSERT_THAT(first.sent->all<Advertise>(), SizeIs(1));
  EXPECT_EQ(first.sent->all<Advertise>()[0].channels.at(1).channel.topic, "/b");
  first.subscribe(7, 1);
  second.subscribe(8, 1);
  second.subscribe(9, 2);
  write(*input, {{"/a", 3, "x"}, {"/b", 4, "y"}});
  EXPECT_THAT(first.sent->messages, ElementsAre(std::pair(7U, "x")));
  EXPECT_THAT(second.sent->messages, ElementsAre(std::pair(8U, "x"), std::pair(9U, "y")));
  second.session->on_close();
  write(*input, {{"/a", 5, "z"}, {"/b", 6, "z"}});
  EXPECT_THAT(first.sent->messages, SizeIs(2));
  EXPECT_THAT(second.sent->messages, SizeIs(2));
}

TEST_F(Hub, ChannelsComeAndGoWithTheirSource) {
  Client one = client();
  EXPECT_THAT(one.sent->all<Advertise>(), SizeIs(1));
  auto first = hub_.input();
  auto second = hub_.input();
  write(*first, {{"/a", 1, "x"}});
  write(*second, {{"/b", 1, "x"}});
  ASSERT_THAT(one.sent->all<Advertise>(), SizeIs(3));
  EXPECT_EQ(one.sent->all<Advertise>()[2].channels.at(0).id, 2U);
  one.subscribe(1, 1);
  one.subscribe(2, 2);
  first->close();
  EXPECT_THAT(one.sent->all<foxglove::Unadvertise>().at(0).ids, ElementsAre(1));
  write(*second, {{"/b", 2, "y"}});
  EXPECT_THAT(one.sent->messages, ElementsAre(std::pair(2U, "y")));
  EXPECT_THAT(client().sent->all<Advertise>()[0].channels, SizeIs(1));
}

TEST_F(Hub, WhoSubscribesLaterGetsTheLastMessageOfALatchedChannel) {
  auto input = hub_.input();
  MemoryOptions latched;
  latched.metadata = {{"latching", "1"}};
  write(*input, {{"/map", 1, "old"}, {"/map", 2, "new"}}, latched);
  Client one = client();
  one.subscribe(5, 1);
  EXPECT_THAT(one.sent->messages, ElementsAre(std::pair(5U, "new")));
  input->close();
  Client other = client();
  other.subscribe(5, 1);
  EXPECT_THAT(other.sent->messages, IsEmpty());
}

TEST_F(Hub, ASlowClientLosesMessagesAndIsTold) {
  auto input = hub_.input();
  write(*input, {{"/a", 1, "x"}});
  Client slow = client();
  Client quick = client();
  slow.subscribe(1, 1);
  quick.subscribe(1, 1);
  slow.sent->waiting = 1 << 30;
  write(*input, {{"/a", 2, "1"}, {"/a", 3, "2"}});
  EXPECT_THAT(slow.sent->messages, IsEmpty());
  EXPECT_THAT(quick.sent->messages, SizeIs(2));
  EXPECT_LT(input->due(), kNever);
  input->tick(clock_->steady());
  EXPECT_THAT(slow.sent->all<Status>(), IsEmpty());  // there is no room for that either
  slow.sent->waiting = 0;
  input->tick(clock_->steady());
  ASSERT_THAT(slow.sent->all<Status>(), SizeIs(1));
  EXPECT_EQ(slow.sent->all<Status>()[0].message, "2 messages were dropped: the client is too slow");
  EXPECT_EQ(input->due(), kNever);
  write(*input, {{"/a", 4, "3"}});
  EXPECT_THAT(slow.sent->messages, ElementsAre(std::pair(1U, "3")));
}

TEST_F(Hub, TheTimeIsToldTenTimesASecond) {
  auto input = hub_.input();
  Client one = client();
  for (int i = 0; i < 100; ++i) {
    write(*input, {{"/a", i, "x"}});
    clock_->advance(std::chrono::milliseconds(10));
  }
  EXPECT_THAT(one.sent->times, SizeIs(10));
  EXPECT_TRUE(std::is_sorted(one.sent->times.begin(), one.sent->times.end()));
}

TEST_F(Hub, WhatAClientSendsWronglyIsToldAFewTimes) {
  Client one = client();
  one.subscribe(1, 1);
  one.subscribe(1, 0);
  one.session->on_text("{");
  one.session->on_binary({});
  EXPECT_THAT(one.sent->all<Status>(), SizeIs(4));
  for (int i = 0; i < 100; ++i) one.session->on_text("{");
  EXPECT_THAT(one.sent->all<Status>(), SizeIs(20));
}

}  // namespace
}  // namespace kitbag::server
