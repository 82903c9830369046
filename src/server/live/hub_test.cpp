#include "server/live/hub.h"

#include <gmock/gmock.h>

#include <utility>

#include "kitbag/foxglove.h"
#include "server/live/test_client.h"
#include "tests/support/manual_clock.h"
#include "tests/support/memory_source.h"

namespace kitbag::server {
namespace {

using foxglove::Advertise;
using foxglove::Status;
using test::MemoryOptions;
using test::MemorySource;
using test::Samples;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class Hub : public ::testing::Test {
 protected:
  TestClient client() { return TestClient(hub_.client()); }
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
  TestClient first = client();
  TestClient second = client();
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
  TestClient one = client();
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

TEST_F(Hub, ALateSubscriberGetsTheLastMessageOfALatchedChannel) {
  auto input = hub_.input();
  MemoryOptions latched;
  latched.metadata = {{"latching", "1"}};
  write(*input, {{"/map", 1, "old"}, {"/map", 2, "new"}}, latched);
  TestClient one = client();
  one.subscribe(5, 1);
  EXPECT_THAT(one.sent->messages, ElementsAre(std::pair(5U, "new")));
  input->close();
  TestClient other = client();
  other.subscribe(5, 1);
  EXPECT_THAT(other.sent->messages, IsEmpty());
}

TEST_F(Hub, ASlowClientLosesMessagesAndGetsAReport) {
  auto input = hub_.input();
  write(*input, {{"/a", 1, "x"}});
  TestClient slow = client();
  TestClient quick = client();
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

TEST_F(Hub, TheTimeIsSentTenTimesASecond) {
  auto input = hub_.input();
  TestClient one = client();
  for (int i = 0; i < 100; ++i) {
    write(*input, {{"/a", i, "x"}});
    clock_->advance(std::chrono::milliseconds(10));
  }
  EXPECT_THAT(one.sent->times, SizeIs(10));
  EXPECT_TRUE(std::is_sorted(one.sent->times.begin(), one.sent->times.end()));
}

TEST_F(Hub, ComplaintsAboutAClientAreLimited) {
  TestClient one = client();
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
