#include <gmock/gmock.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <stop_token>

#include "live/record/test_recorder.h"
#include "tests/support/file_size_limit.h"
#include "tests/support/manual_clock.h"
#include "tests/support/thrown_by.h"

namespace kitbag {
namespace {

using test::FileSizeLimit;
using test::kSecond;
using test::RecorderTest;
using test::Samples;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;
using namespace std::chrono_literals;

TEST_F(RecorderTest, ASnapshotIsNoDirectory) {
  give(samples_);
  options_.target.path = folder_.path("x/");
  options_.snapshot = SnapshotLimits{std::nullopt, 300s};
  EXPECT_EQ(test::thrown_by([&] { record(); }).code(), ErrorCode::invalid);
}

TEST_F(RecorderTest, ASnapshotHoldsTheLastMessagesAndTheLatchedBeforeThem) {
  Samples samples{{"/map", 0, "map"}};
  for (int i = 1; i <= 1000; ++i) samples.push_back({"/map", i * kSecond, std::to_string(i)});
  give(samples, false, {{"latching", "1"}});
  options_.snapshot = SnapshotLimits{std::nullopt, 300s};
  std::optional<Recorder> recorder;
  std::stop_source stop;
  int looks = 0;
  recorder.emplace(options_, session_.with_clock(clock_));
  RecordStatus status = recorder->run(stop.get_token(), [&](const RecordStatus& now) {
    if (now.messages == samples.size() && looks++ == 0) recorder->snapshot();
    if (!now.files.empty()) stop.request_stop();
  });
  EXPECT_THAT(status.files, SizeIs(1));
  Samples held = read("x_0.mcap");
  EXPECT_EQ(held.back().time, 1000 * kSecond);
  EXPECT_GE(held.size(), 300U);
  EXPECT_LT(held.size(), 300U + 2 * kBatchMessages);
  EXPECT_EQ(status.messages, samples.size());
  EXPECT_LT(status.written_messages, status.messages);
  EXPECT_EQ(status.written_messages + 1, held.size()) << "beside the latched one in front";
  // What was forgotten is there as the state in which it begins.
  EXPECT_EQ(held[0].time, held[1].time);
  EXPECT_LT(*held[0].publish_time, held[1].time);
}

TEST_F(RecorderTest, ASnapshotThatIsAskedForLastIsWritten) {
  give(samples_);
  options_.snapshot = SnapshotLimits{std::nullopt, 300s};
  Recorder recorder(options_, session_.with_clock(clock_));
  recorder.snapshot();
  EXPECT_THAT(recorder.run({}).files, SizeIs(1));
  EXPECT_THAT(read("x_0.mcap"), SizeIs(3));
}

TEST_F(RecorderTest, ASnapshotThatCannotBeWrittenStaysInMemory) {
  std::filesystem::create_directory(folder_.path("in"));
  options_.target.path = folder_.path("in/x.mcap");
  options_.snapshot = SnapshotLimits{std::nullopt, 300s};
  options_.on_warning = [this](const Error& warning) { warnings_.push_back(warning.message()); };
  give(samples_, false);
  Recorder recorder(options_, session_.with_clock(clock_));
  std::filesystem::rename(folder_.path("in"), folder_.path("away"));
  recorder.snapshot();
  std::stop_source stop;
  RecordStatus status = recorder.run(stop.get_token(), [&](const RecordStatus&) {
    if (warnings_.empty()) return;
    std::filesystem::create_directory(folder_.path("in"));
    recorder.snapshot();
    stop.request_stop();
  });
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr("does not exist")));
  EXPECT_EQ(status.written_messages, 3U);
  EXPECT_THAT(status.files, SizeIs(1));
}

TEST_F(RecorderTest, ASnapshotThatFailsInTheMiddleLeavesNoFile) {
  options_.snapshot = SnapshotLimits{std::nullopt, 300s};
  options_.on_warning = [this](const Error& warning) { warnings_.push_back(warning.message()); };
  give(samples_, false);
  Recorder recorder(options_, session_.with_clock(clock_));
  recorder.snapshot();
  std::optional<FileSizeLimit> full(std::in_place, 100);
  std::stop_source stop;
  std::vector<std::string> named;
  RecordStatus status = recorder.run(stop.get_token(), [&](const RecordStatus& now) {
    if (warnings_.empty() || !full) return;
    named = now.files;
    EXPECT_THAT(files(), IsEmpty());
    full.reset();
    recorder.snapshot();
    stop.request_stop();
  });
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr("file too large")));
  EXPECT_THAT(named, IsEmpty());
  EXPECT_EQ(status.written_messages, 3U);
  EXPECT_THAT(status.files, ElementsAre(folder_.path("x_1.mcap")));
  EXPECT_THAT(read("x_1.mcap"), SizeIs(3));
}

TEST_F(RecorderTest, SnapshotsOfANewRunAreNumberedOn) {
  folder_.write("x_4.mcap", "mine");
  for (int run = 0; run < 2; ++run) {
    give(samples_);
    options_.snapshot = SnapshotLimits{std::nullopt, 300s};
    Recorder recorder(options_, session_.with_clock(clock_));
    recorder.snapshot();
    recorder.run({});
  }
  EXPECT_THAT(files(), UnorderedElementsAre("x_4.mcap", "x_5.mcap", "x_6.mcap"));
}

TEST_F(RecorderTest, SnapshotsNeedTheirLimit) {
  give(samples_);
  Recorder recorder(options_, session_.with_clock(clock_));
  EXPECT_EQ(test::thrown_by([&] { recorder.snapshot(); }).code(), ErrorCode::unsupported);
}

/// A stage that takes a second for each batch, and may give none.
class SlowSource final : public Source {
 public:
  SlowSource(std::unique_ptr<Source> source, std::shared_ptr<ManualClock> clock, bool gives)
      : source_(std::move(source)), clock_(std::move(clock)), gives_(gives) {}

  ChannelsPtr channels() const override { return source_->channels(); }
  bool read(Batch& batch, const Wait& wait) override {
    clock_->advance(1s);
    return !gives_ || source_->read(batch, wait);
  }

 private:
  std::unique_ptr<Source> source_;
  std::shared_ptr<ManualClock> clock_;
  bool gives_;
};

class SlowRecorderTest : public RecorderTest {
 protected:
  static constexpr std::size_t kCount = 8 * kBatchMessages;

  /// Is stopped at once.
  RecordStatus record_slowly(bool gives) {
    Samples samples;
    for (std::size_t i = 0; i < kCount; ++i) samples.push_back({"/a", 0, "x"});
    give(samples, false);
    auto clock = std::make_shared<ManualClock>();
    options_.stages = [=](std::unique_ptr<Source> source) {
      return std::make_unique<SlowSource>(std::move(source), clock, gives);
    };
    Recorder recorder(options_, session_.with_clock(clock));
    std::stop_source stop;
    stop.request_stop();
    return recorder.run(stop.get_token());
  }
};

TEST_F(SlowRecorderTest, WhatCameBeforeTheStopIsStoredHoweverLongThatTakes) {
  RecordStatus status = record_slowly(true);
  EXPECT_EQ(status.messages, kCount);
  EXPECT_THAT(status.dropped, ::testing::Each(::testing::Pair("/a", 0U)));
  EXPECT_THAT(read("x.mcap"), SizeIs(kCount));
}

TEST_F(SlowRecorderTest, WhatCannotBeStoredIsCounted) {
  RecordStatus status = record_slowly(false);
  EXPECT_EQ(status.messages, 0U);
  EXPECT_EQ(status.dropped.at("/a"), kCount);
}

}  // namespace
}  // namespace kitbag
