#include "cli/terminal/progress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kitbag::cli {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

/// A clock that stands until it is moved.
class StandingClock final : public Clock {
 public:
  Time wall() const override { return Time(); }
  SteadyTime steady() const override { return now_; }
  bool wait(std::unique_lock<std::mutex>&, std::condition_variable_any&, const Wait&,
            const std::function<bool()>& condition) override {
    return condition();
  }
  void move(Duration by) { now_ += by; }

 private:
  SteadyTime now_{};
};

class ProgressTest : public ::testing::Test {
 protected:
  std::unique_ptr<Stage> start(std::uint64_t expected) {
    return progress(expected, clock_, [this](const StatusText* text) {
      drawn_.push_back(text ? fitted(*text, 120) : "erased");
    });
  }
  void pass(Stage& stage, int messages) {
    Batch batch;
    for (int i = 0; i < messages; ++i) {
      batch.add({&channel_, 0, 0, Time(), Time(), as_bytes("0123456789")});
    }
    stage.apply(batch);
    EXPECT_THAT(batch.messages(), SizeIs(messages));
  }

  StandingClock clock_;
  Channel channel_;
  std::vector<std::string> drawn_;
};

TEST_F(ProgressTest, SaysNothingOfShortWork) {
  auto stage = start(100);
  clock_.move(999ms);
  pass(*stage, 50);
  stage.reset();
  EXPECT_THAT(drawn_, IsEmpty());
}

TEST_F(ProgressTest, DrawsAfterASecondAndErasesAtTheEnd) {
  auto stage = start(100);
  pass(*stage, 20);
  clock_.move(2s);
  pass(*stage, 30);
  ASSERT_THAT(drawn_, SizeIs(1));
  EXPECT_THAT(drawn_[0], AllOf(HasSubstr("50 %"), HasSubstr("50 messages"), HasSubstr("250 B/s"),
                               HasSubstr(", 2s left")));
  stage.reset();
  ASSERT_THAT(drawn_, SizeIs(2));
  EXPECT_EQ(drawn_[1], "erased");
}

TEST_F(ProgressTest, DrawsTenTimesASecondAtMost) {
  auto stage = start(1000);
  clock_.move(1s);
  for (int i = 0; i < 100; ++i, clock_.move(10ms)) pass(*stage, 1);
  EXPECT_THAT(drawn_, SizeIs(10));
}

TEST_F(ProgressTest, NeverClaimsToBeDone) {
  auto stage = start(3);
  clock_.move(2s);
  pass(*stage, 10);
  ASSERT_THAT(drawn_, SizeIs(1));
  EXPECT_THAT(drawn_[0], AllOf(HasSubstr("99 %"), Not(HasSubstr("left"))));
}

TEST_F(ProgressTest, CountsWithoutKnowingTheEnd) {
  auto stage = start(0);
  clock_.move(2s);
  pass(*stage, 10);
  ASSERT_THAT(drawn_, SizeIs(1));
  EXPECT_EQ(drawn_[0], "10 messages, 50 B/s");
}

TEST(TimeLeft, IsWhatTheRestTakesAtTheSameSpeed) {
  EXPECT_EQ(time_left(10s, 0.25), ", 30s left");
  EXPECT_EQ(time_left(62s, 0.5), ", 1m 02s left");
  EXPECT_EQ(time_left(10ms, 0.9), ", 1s left");  // rounded up
  EXPECT_EQ(time_left(10s, 0), "");
  EXPECT_EQ(time_left(10s, 1), "");
  EXPECT_EQ(time_left(10s, 1e-9), "");
}

}  // namespace
}  // namespace kitbag::cli
