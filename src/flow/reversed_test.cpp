#include <gmock/gmock.h>

#include <algorithm>

#include "kitbag/pipeline.h"
#include "tests/support/memory_source.h"
#include "tests/support/thrown_by.h"

namespace kitbag {
namespace {

using test::Samples;
using ::testing::ElementsAreArray;

Samples numbers(int count) {
  Samples samples;
  for (int i = 0; i < count; ++i) samples.push_back({i % 2 ? "/a" : "/b", i, std::to_string(i)});
  return samples;
}

TEST(Reversed, GivesTheLastMessageFirst) {
  for (std::size_t batch_messages : {1U, 3U, 256U}) {
    for (std::size_t empty_reads : {0U, 1U}) {
      auto source = reversed(test::memory_source(
          numbers(600), {.batch_messages = batch_messages, .empty_reads = empty_reads}));
      Samples expected = numbers(600);
      std::reverse(expected.begin(), expected.end());
      EXPECT_THAT(test::collect(*source), ElementsAreArray(expected));
      EXPECT_EQ(test::topics_of(source->channels()), (std::vector<std::string>{"/b", "/a"}));
      Batch batch;
      EXPECT_FALSE(source->read(batch, {}));
    }
  }
}

TEST(Reversed, OfNothingIsNothing) {
  Batch batch;
  EXPECT_FALSE(reversed(test::memory_source({}))->read(batch, {}));
}

TEST(Reversed, IsBounded) {
  Samples samples{{"/a", 1, std::string(1000, 'x')}, {"/a", 2, std::string(1000, 'x')}};
  auto within = reversed(test::memory_source(samples), 2200);
  EXPECT_EQ(test::collect(*within).size(), 2U);
  auto beyond = reversed(test::memory_source(samples), 2000);
  EXPECT_ERROR(limit, test::collect(*beyond));
}

TEST(Reversed, AStopLosesNothing) {
  auto source = reversed(test::memory_source(numbers(10), {.batch_messages = 4}));
  std::stop_source stop;
  stop.request_stop();
  Batch batch;
  EXPECT_TRUE(source->read(batch, {stop.get_token()}));
  EXPECT_TRUE(batch.empty());
  EXPECT_EQ(test::collect(*source).size(), 10U);
}

}  // namespace
}  // namespace kitbag
