#include <gmock/gmock.h>

#include "kitbag/pipeline.h"
#include "tests/support/manual_clock.h"
#include "tests/support/memory_writer.h"
#include "tests/support/thrown_by.h"

namespace kitbag {
namespace {

using test::memory_source;
using test::MemoryWriter;
using test::Samples;
using test::Written;
using testing::ElementsAre;
using namespace std::chrono_literals;

const Samples kFive = {
    {"/a", 1, "x"}, {"/b", 2, "yy"}, {"/a", 3, ""}, {"/a", 4, "zzz"}, {"/b", 5, "w"}};

/// Calls `before_read` with what read() was asked to wait for.
class Watched final : public Source {
 public:
  using Look = std::function<void(const Wait&)>;
  Watched(std::unique_ptr<Source> source, Look before_read)
      : source_(std::move(source)), before_read_(std::move(before_read)) {}
  ChannelsPtr channels() const override { return source_->channels(); }
  bool read(Batch& batch, const Wait& wait) override {
    before_read_(wait);
    return source_->read(batch, wait);
  }

 private:
  std::unique_ptr<Source> source_;
  Look before_read_;
};

TEST(Run, MovesEverythingAndCountsIt) {
  Written written;
  MemoryWriter writer(written);
  ManualClock clock;
  auto source = memory_source(kFive, {.batch_messages = 2});
  Totals totals = run(*source, writer, clock);
  EXPECT_EQ(written.samples, kFive);
  EXPECT_EQ(totals.messages, 5U);
  EXPECT_EQ(totals.bytes, 7U);
}

TEST(Run, DeclaresFirstFlushesLastAndLeavesTheClosingToTheCaller) {
  Written written;
  MemoryWriter writer(written);
  ManualClock clock;
  auto source = memory_source(kFive, {.batch_messages = 3});
  run(*source, writer, clock);
  EXPECT_THAT(written.batches, ElementsAre(0, 3, 2));
  EXPECT_EQ(written.flushes, 1U);
  EXPECT_FALSE(written.is_closed);
}

TEST(Run, ASourceWithoutMessagesStillDeclaresItsChannels) {
  Written written;
  MemoryWriter writer(written);
  ManualClock clock;
  Query nothing;
  nothing.begin = from_ns(100);
  auto source = through(memory_source(kFive), filter(nothing));
  Totals totals = run(*source, writer, clock);
  EXPECT_EQ(totals.messages, 0U);
  EXPECT_THAT(test::topics_of(written.channels), ElementsAre("/a", "/b"));
}

TEST(Run, GoesOnWhenNothingCameInTime) {
  Written written;
  MemoryWriter writer(written);
  ManualClock clock;
  auto source = memory_source(kFive, {.batch_messages = 1, .empty_reads = 3});
  run(*source, writer, clock);
  EXPECT_EQ(written.samples, kFive);
}

TEST(Run, TicksASinkThatIsDue) {
  ManualClock clock(from_ns(0), SteadyTime(0s));
  Written written;
  MemoryWriter writer(written);
  writer.next_due = SteadyTime(10s);
  std::vector<SteadyTime> asked;
  Watched source(memory_source(kFive, {.batch_messages = 2}), [&](const Wait& wait) {
    asked.push_back(wait.until);
    clock.advance(4s);
  });
  run(source, writer, clock);
  EXPECT_THAT(asked, testing::Each(SteadyTime(10s)));
  // After the batches at 4 s, 8 s and 12 s; no batch comes at 16 s.
  EXPECT_THAT(written.ticks, ElementsAre(SteadyTime(12s)));
}

TEST(Run, StopsBetweenBatchesAndDeliversWhatItHas) {
  Written written;
  MemoryWriter writer(written);
  ManualClock clock;
  std::stop_source stop;
  int reads = 0;
  Watched source(memory_source(kFive, {.batch_messages = 2}), [&](const Wait& wait) {
    EXPECT_TRUE(wait.stop.stop_possible());
    if (++reads == 2) stop.request_stop();
  });
  Totals totals = run(source, writer, clock, stop.get_token());
  EXPECT_EQ(totals.messages, 4U);
  EXPECT_EQ(written.samples.size(), 4U);
  EXPECT_EQ(written.flushes, 1U);
}

TEST(Run, StoppedBeforeItBeginsItReadsNothing) {
  Written written;
  MemoryWriter writer(written);
  ManualClock clock;
  std::stop_source stop;
  stop.request_stop();
  auto source = memory_source(kFive);
  EXPECT_EQ(run(*source, writer, clock, stop.get_token()).messages, 0U);
  EXPECT_THAT(written.batches, ElementsAre(0));
}

TEST(Run, PassesErrorsOn) {
  ManualClock clock;
  Written written;
  MemoryWriter writer(written);
  auto broken = memory_source(kFive, {.batch_messages = 2, .fails_at = 3});
  EXPECT_EQ(test::thrown_by([&] { run(*broken, writer, clock); }).code(), ErrorCode::corrupt);
  EXPECT_EQ(written.samples.size(), 3U);
  writer.next_error.emplace(ErrorCode::io, "the disk is full");
  auto whole = memory_source(kFive);
  EXPECT_EQ(test::thrown_by([&] { run(*whole, writer, clock); }).code(), ErrorCode::io);
}

}  // namespace
}  // namespace kitbag
