#include "live/play/clock_topic.h"

#include <gmock/gmock.h>

#include "flow/sim_time.h"
#include "tests/support/memory_source.h"
#include "tests/support/thrown_by.h"

namespace kitbag {
namespace {

using test::Samples;
using ::testing::ElementsAre;

/// What the clock topic of a player says of a time.
std::string clock_message(const std::string& encoding, Time time) {
  ClockTopic clock({100, encoding}, SteadyTime());
  Batch batch;
  clock.tell(time, SteadyTime(), batch);
  return std::string(as_text(std::as_const(batch).messages().front().data));
}

std::vector<std::int64_t> times(const Samples& samples, const std::string& encoding,
                                SimTimeReport&& report = {}) {
  test::MemoryOptions options;
  options.batch_messages = 2;
  auto source = std::make_unique<test::MemorySource>(samples, options);
  class Encoded final : public Stage {
   public:
    explicit Encoded(std::string as) : as_(std::move(as)) {}
    ChannelPtr map(const ChannelPtr& channel) override {
      auto changed = std::make_shared<Channel>(*channel);
      changed->encoding = as_;
      return changed;
    }

   private:
    std::string as_;
  };
  auto timed =
      through(through(std::move(source), std::make_unique<Encoded>(encoding)), sim_time(report));
  std::vector<std::int64_t> found;
  for (Batch batch; timed->read(batch, {}); batch.clear()) {
    for (const auto& sample : test::samples_of(batch)) found.push_back(sample.time);
  }
  return found;
}

TEST(SimTime, IsWhatTheClockHasToldLast) {
  for (const std::string encoding : {"ros1", "cdr"}) {
    Samples samples{{"/a", 1, "too soon"},
                    {"/clock", 2, clock_message(encoding, from_ns(5'000'000'007))},
                    {"/a", 3, "x"},
                    {"/a", 4, "x"},
                    {"/clock", 5, clock_message(encoding, from_ns(6'000'000'000))},
                    {"/clock", 6, "short"},
                    {"/a", 7, "x"}};
    EXPECT_THAT(times(samples, encoding), ElementsAre(5'000'000'007, 5'000'000'007, 5'000'000'007,
                                                      6'000'000'000, 6'000'000'000, 6'000'000'000))
        << encoding;
  }
}

TEST(SimTime, BigEndianClocksAreUnderstood) {
  std::string big("\0\0\0\0\0\0\0\x05\0\0\0\x07", 12);
  EXPECT_THAT(times({{"/clock", 1, big}}, "cdr"), ElementsAre(5'000'000'007));
}

TEST(ClockTopic, StandsInFrontOfWhatIsPlayed) {
  ClockTopic clock({100, "ros1"}, SteadyTime());
  test::MemorySource source({{"/a", 1, "x"}, {"/b", 2, "y"}});
  Batch batch;
  source.read(batch, {});
  clock.make_room(batch);
  ASSERT_EQ(batch.channels->size(), 3U);
  EXPECT_EQ((*batch.channels)[0]->topic, "/clock");
  for (const Message& message : std::as_const(batch).messages()) {
    EXPECT_EQ((*batch.channels)[message.channel->slot].get(), message.channel);
  }
}

TEST(ClockTopic, IsNotThereWhereItIsNotWanted) {
  ClockTopic none({}, SteadyTime());
  EXPECT_EQ(none.due(), kNever);
  test::MemorySource source({{"/a", 1, "x"}});
  EXPECT_EQ(none.channels(source.channels()), source.channels());
}

TEST(ClockTopic, RefusesWhatIsNoClock) {
  for (const PlayedClock& wrong :
       {PlayedClock{-1, "ros1"}, PlayedClock{1e9, "ros1"}, PlayedClock{10, "json"}}) {
    EXPECT_EQ(test::thrown_by([&] { ClockTopic(wrong, SteadyTime()); }).code(), ErrorCode::invalid);
  }
}

}  // namespace
}  // namespace kitbag
