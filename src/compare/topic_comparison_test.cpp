#include "compare/topic_comparison.h"

#include <gmock/gmock.h>

#include "tests/support/thrown_by.h"

namespace kitbag {
namespace {

using test::thrown_by;

class TopicComparisonTest : public testing::Test {
 protected:
  void add(Side side, std::int64_t time, std::string_view data = "x") {
    topic_.add(side, {&channel_, 0, 0, from_ns(time), from_ns(time), as_bytes(data)});
  }
  std::size_t waiting() const { return state_.waiting[kSideA] + state_.waiting[kSideB]; }

  Channel channel_{"/a", "ros1", nullptr, {}, 0};
  ComparisonState state_;
  TopicComparison topic_{"/a", state_};
};

TEST_F(TopicComparisonTest, OnlyWhatIsAheadWaits) {
  add(kSideA, 1);
  std::size_t one = waiting();
  EXPECT_GT(one, 1U);
  add(kSideA, 2, "longer");
  EXPECT_EQ(state_.waiting[kSideA], 2 * one + 5);
  add(kSideB, 1);
  EXPECT_EQ(state_.waiting[kSideA], one + 5);
  add(kSideB, 2, "longer");
  EXPECT_EQ(waiting(), 0U);
  EXPECT_EQ(state_.result.differences, 0U);
}

TEST_F(TopicComparisonTest, NothingWaitsForASideThatHasEnded) {
  add(kSideA, 1);
  state_.has_ended[kSideB] = true;
  add(kSideA, 2);
  add(kSideA, 3);
  EXPECT_EQ(waiting(), 0U);
  EXPECT_EQ(state_.result.differences, 3U);
  topic_.finish();
  ASSERT_EQ(state_.result.first.size(), 1U);
  EXPECT_EQ(state_.result.first[0].text, "only in A (3 messages)");
}

TEST_F(TopicComparisonTest, NothingWaitsForWhatIsNotExpected) {
  add(kSideA, 1);
  add(kSideA, 5);
  topic_.expect_none(kSideB, from_ns(5));
  EXPECT_EQ(state_.result.differences, 1U);
  add(kSideB, 5);
  EXPECT_EQ(state_.result.differences, 1U);
  add(kSideA, 7);
  topic_.expect_none(kSideB);
  EXPECT_EQ(waiting(), 0U);
  EXPECT_EQ(state_.result.differences, 2U);
}

TEST_F(TopicComparisonTest, AMessageFromBeforeWhatWasPromisedIsAnError) {
  topic_.expect_none(kSideB, from_ns(5));
  add(kSideB, 5);
  EXPECT_EQ(thrown_by([&] { add(kSideB, 4); }).code(), ErrorCode::unsupported);
  add(kSideA, 4);
}

TEST_F(TopicComparisonTest, BackwardsInTimeThatIsAMessageFromAfterIt) {
  state_.is_descending = true;
  topic_.expect_none(kSideB, from_ns(5));
  add(kSideB, 4);
  EXPECT_EQ(thrown_by([&] { add(kSideB, 6); }).code(), ErrorCode::unsupported);
}

TEST_F(TopicComparisonTest, AMessageOfASideThatHadNoMoreIsAnError) {
  topic_.expect_none(kSideA);
  EXPECT_EQ(thrown_by([&] { add(kSideA, 1); }).code(), ErrorCode::unsupported);
}

}  // namespace
}  // namespace kitbag
