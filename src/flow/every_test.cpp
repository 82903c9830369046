#include <gmock/gmock.h>

#include "kitbag/pipeline.h"
#include "tests/support/memory_source.h"
#include "tests/support/thrown_by.h"

namespace kitbag {
namespace {

using test::Samples;
using ::testing::ElementsAre;

std::vector<std::string> thinned(std::vector<Every> topics, Samples samples,
                                 test::MemoryOptions options = {}) {
  auto source = through(test::memory_source(std::move(samples), std::move(options)),
                        every(std::move(topics)));
  std::vector<std::string> data;
  for (const auto& sample : test::collect(*source)) data.push_back(sample.data);
  return data;
}

TEST(Every, KeepsTheFirstOfEachPeriod) {
  Samples samples;
  for (int i = 0; i < 7; ++i) samples.push_back({"/a", i, std::to_string(i)});
  EXPECT_THAT(thinned({{"/a", 3}}, samples), ElementsAre("0", "3", "6"));
  EXPECT_THAT(thinned({{"/a", 3}}, samples, {.batch_messages = 2}), ElementsAre("0", "3", "6"));
  EXPECT_THAT(thinned({{"/a", 1}}, samples), ::testing::SizeIs(7));
  EXPECT_THAT(thinned({{"/a", UINT64_MAX}}, samples), ElementsAre("0"));
}

TEST(Every, CountsEachTopicForItself) {
  Samples samples{{"/a", 0, "a0"}, {"/b", 1, "b0"}, {"/a", 2, "a1"}, {"/b", 3, "b1"},
                  {"/a", 4, "a2"}, {"/c", 5, "c0"}, {"/c", 6, "c1"}};
  EXPECT_THAT(thinned({{"/a", 2}, {"/b", 5}}, samples), ElementsAre("a0", "b0", "a2", "c0", "c1"));
  EXPECT_THAT(thinned({{"/a", 1}, {"*", 2}}, samples), ElementsAre("a0", "b0", "a1", "a2", "c0"));
}

TEST(Every, CountsTheChannelsOfATopicTogether) {
  Samples samples{{"/a", 0, "0"}, {"/a", 1, "1", "test/Other"}, {"/a", 2, "2"}};
  EXPECT_THAT(thinned({{"/a", 2}}, samples), ElementsAre("0", "2"));
}

TEST(Every, StateIsNotCounted) {
  Batch batch = test::batch_of({{"/a", 0, "0"}, {"/a", 1, "1"}, {"/a", 2, "2"}, {"/a", 3, "3"}});
  batch.messages()[1].flags = kState;
  auto stage = every({{"/a", 2}});
  stage->map(batch.channels->front());
  stage->apply(batch);
  ASSERT_EQ(batch.messages().size(), 3U);  // 0; 1, which is state; 3
  EXPECT_EQ(as_text(batch.messages()[2].data), "3");
}

TEST(Every, OneOfNoneIsNothing) {
  EXPECT_EQ(test::thrown_by([] { every({{"/a", 0}}); }).code(), ErrorCode::invalid);
}

}  // namespace
}  // namespace kitbag
