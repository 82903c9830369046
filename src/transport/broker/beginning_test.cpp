#include "transport/broker/beginning.h"

#include <gmock/gmock.h>

#include <thread>

#include "kitbag/error.h"
#include "tests/support/manual_clock.h"
#include "tests/support/thrown_by.h"

namespace kitbag::broker {
namespace {

std::exception_ptr failure() {
  return std::make_exception_ptr(Error(ErrorCode::io, "no broker", "here"));
}

class BeginningTest : public ::testing::Test {
 protected:
  std::shared_ptr<ManualClock> clock_ = std::make_shared<ManualClock>();
  Feed feed_{1 << 20, OnFull::block, clock_};
  Beginning beginning_{*clock_, feed_};
  Batch batch_;
};

TEST_F(BeginningTest, AFailureIsThrownToWhoWaits) {
  std::jthread subscriber([this] {
    clock_->await_waiters(1);
    beginning_.end(failure());
  });
  EXPECT_EQ(test::thrown_by([this] { beginning_.await(); }).message(), "no broker");
}

TEST_F(BeginningTest, ALaterFailureGoesToTheFeed) {
  beginning_.set_ready();
  beginning_.await();
  beginning_.end(failure());
  EXPECT_EQ(test::thrown_by([this] { feed_.read(batch_, {}); }).message(), "no broker");
}

TEST_F(BeginningTest, NobodyIsWaitedForLong) {
  std::jthread passing([this] {
    clock_->await_waiters(1);
    clock_->advance(std::chrono::seconds(1));
  });
  beginning_.await();
  beginning_.end(nullptr);
  EXPECT_FALSE(feed_.read(batch_, {})) << "it is closed";
}

}  // namespace
}  // namespace kitbag::broker
