#include "server/bags/leases.h"

#include <gtest/gtest.h>

#include "tests/support/manual_clock.h"

namespace kitbag::server {
namespace {

using namespace std::chrono_literals;

class LeasesTest : public ::testing::Test {
 protected:
  std::shared_ptr<ManualClock> clock_ = std::make_shared<ManualClock>();
  std::shared_ptr<Leases> leases_ = Leases::make(clock_);
  FileId a_{1, 7};
  FileId b_{2, 7};
};

TEST_F(LeasesTest, AFileIsLeasedUntilTheLastLeaseHasGone) {
  auto first = leases_->take(a_);
  auto second = leases_->take(a_);
  EXPECT_TRUE(leases_->is_leased(a_));
  EXPECT_FALSE(leases_->is_leased(b_));
  first.reset();
  EXPECT_TRUE(leases_->is_leased(a_));
  second.reset();
  EXPECT_FALSE(leases_->is_leased(a_));
}

TEST_F(LeasesTest, BetweenTheRequestsOfAPlayerItStaysLeased) {
  leases_->take(a_, 60s).reset();
  clock_->advance(59s);
  leases_->take(a_, 10s).reset();  // the shorter one ends nothing
  EXPECT_TRUE(leases_->is_leased(a_));
  clock_->advance(9s);
  EXPECT_TRUE(leases_->is_leased(a_));
  clock_->advance(2s);
  EXPECT_FALSE(leases_->is_leased(a_));
}

TEST_F(LeasesTest, ARevokedLeaseEndsAtOnceAndIsCounted) {
  int closed = 0;
  auto download = leases_->take(a_, {}, [&] { ++closed; });
  auto slice = leases_->take(a_, 60s);
  auto other = leases_->take(b_, {}, [&] { closed += 100; });
  leases_->revoke(a_);
  leases_->revoke(a_);
  EXPECT_EQ(closed, 1);
  EXPECT_EQ(leases_->revoked(), 2U);
  EXPECT_TRUE(slice->is_revoked());
  EXPECT_FALSE(other->is_revoked());
  EXPECT_FALSE(leases_->is_leased(a_));
  slice.reset();
  EXPECT_FALSE(leases_->is_leased(a_));
}

}  // namespace
}  // namespace kitbag::server
