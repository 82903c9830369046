#include "server/recorder/recorder_service.h"

#include <gmock/gmock.h>

#include <atomic>

#include "kitbag/error.h"
#include "kitbag/kitbag.h"
#include "tests/support/manual_clock.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/thrown_by.h"

namespace kitbag::server {
namespace {

using ::testing::HasSubstr;
using namespace std::chrono_literals;

class SilentSubscriber final : public Subscriber {
 public:
  explicit SilentSubscriber(Feed& feed) : feed_(feed) {}
  void stop() override { feed_.close(); }

 private:
  Feed& feed_;
};

class RecorderServiceTest : public ::testing::Test {
 protected:
  RecorderServiceTest() {
    Transport transport;
    transport.scheme = "test";
    transport.subscribe = [this](const Location&, const Subscription&, Feed& feed,
                                 const Session&) -> std::unique_ptr<Subscriber> {
      if (is_away_) throw Error(ErrorCode::io, "the system is away");
      return std::make_unique<SilentSubscriber>(feed);
    };
    Registry registry = standard_registry();
    registry.transports.push_back(transport);
    session_ = Session(std::move(registry)).with_clock(clock_);
    options_.from = {"test://"};
    options_.target.folder = folder_.path();
  }

  std::atomic<bool> is_away_ = false;
  TemporaryFolder folder_;
  std::shared_ptr<ManualClock> clock_ = std::make_shared<ManualClock>();
  Session session_;
  RecordOptions options_;
};

TEST_F(RecorderServiceTest, WaitsForASystemThatIsAwayAndTriesAgain) {
  is_away_ = true;
  RecorderService service(options_, session_);
  EXPECT_EQ(service.report().state, RecorderState::waiting);
  EXPECT_THAT(service.report().reason, HasSubstr("away"));
  EXPECT_ERROR(invalid, service.pause({}));
  clock_->await_waiters(1);
  clock_->advance(6s);
  clock_->await_waiters(1);
  EXPECT_EQ(service.report().state, RecorderState::waiting);
  is_away_ = false;
  clock_->advance(6s);
  clock_->await_waiters(1);  // the recorder now
  EXPECT_EQ(service.report().state, RecorderState::recording);
  EXPECT_EQ(service.report().reason, "");
}

TEST_F(RecorderServiceTest, AStartTriesAtOnce) {
  is_away_ = true;
  RecorderService service(options_, session_);
  is_away_ = false;
  service.start({});
  EXPECT_EQ(service.report().state, RecorderState::recording);
  service.stop({});
  EXPECT_EQ(service.report().state, RecorderState::stopped);
  EXPECT_EQ(folder_.names().size(), 1U);  // complete, without messages
}

TEST_F(RecorderServiceTest, AStopEndsTheWaiting) {
  is_away_ = true;
  RecorderService service(options_, session_);
  service.stop({});
  EXPECT_EQ(service.report().state, RecorderState::stopped);
  EXPECT_EQ(service.report().reason, "");
}

TEST_F(RecorderServiceTest, WhatIsTooOldGoesWhileItIsStopped) {
  clock_->set(system_clock()->wall(), clock_->steady());  // files have the time of the system
  options_.target.keep.age = 24h;
  std::atomic<int> told = 0;
  options_.on_deleted = [&](const DeletedFile&) { ++told; };
  RecorderService service(options_, session_);
  service.stop({});
  clock_->await_waiters(1);
  clock_->advance(23h);
  clock_->await_waiters(1);
  EXPECT_EQ(folder_.names().size(), 1U);
  clock_->advance(2h);
  clock_->await_waiters(1);
  EXPECT_TRUE(folder_.names().empty());
  EXPECT_EQ(told, 1);
  RecorderReport report = service.report();
  EXPECT_EQ(report.state, RecorderState::stopped);
  EXPECT_EQ(report.now.deleted_files, 1U);
  EXPECT_EQ(report.totals.deleted_files, 1U);
  EXPECT_TRUE(report.now.files.empty());
}

TEST_F(RecorderServiceTest, WhatIsTooOldGoesWhileTheSystemIsAway) {
  is_away_ = true;
  folder_.write("2023-10-31_14-30-00.mcap", "old");
  clock_->set(system_clock()->wall() + 25h, clock_->steady());
  options_.target.keep.age = 24h;
  RecorderService service(options_, session_);
  clock_->await_waiters(1);
  EXPECT_EQ(service.report().state, RecorderState::waiting);
  EXPECT_TRUE(folder_.names().empty());
}

TEST_F(RecorderServiceTest, OptionsThatMakeNoSenseAreErrors) {
  options_.target.write.format = "nonsense";
  auto code = [this] {
    return test::thrown_by([this] { RecorderService service(options_, session_); }).code();
  };
  EXPECT_NE(code(), ErrorCode::io);
  options_.target.write.format = {};
  options_.from = {"nonsense://"};
  EXPECT_NE(code(), ErrorCode::io);
}

}  // namespace
}  // namespace kitbag::server
