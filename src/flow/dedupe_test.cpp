#include <gmock/gmock.h>

#include "kitbag/pipeline.h"
#include "tests/support/memory_source.h"

namespace kitbag {
namespace {

using test::Sample;
using test::Samples;
using ::testing::ElementsAreArray;

struct Deduped {
  Samples samples;
  std::uint64_t dropped = 0;
};

Deduped deduped(Samples samples, test::MemoryOptions options = {}) {
  Deduped result;
  auto source =
      through(test::memory_source(std::move(samples), std::move(options)), dedupe(&result.dropped));
  result.samples = test::collect(*source);
  return result;
}

TEST(Dedupe, DropsWhatIsTheSameInAllThings) {
  for (std::size_t batch_messages : {1U, 2U, 256U}) {
    Deduped result =
        deduped({{"/a", 1, "x"}, {"/b", 1, "x"}, {"/a", 1, "x"}, {"/b", 1, "x"}, {"/a", 2, "y"}},
                {.batch_messages = batch_messages});
    EXPECT_THAT(result.samples,
                ElementsAreArray(Samples{{"/a", 1, "x"}, {"/b", 1, "x"}, {"/a", 2, "y"}}));
    EXPECT_EQ(result.dropped, 2U);
  }
}

TEST(Dedupe, KeepsWhatDiffersInOneThing) {
  Samples samples{{"/a", 1, "x"},
                  {"/b", 1, "x"},
                  {"/a", 1, "y"},
                  {"/a", 1, ""},
                  {"/a", 1, "x", "test/Other"},
                  {"/a", 1, "x", "test/Type", 0},
                  {"/a", 2, "x"}};
  EXPECT_THAT(deduped(samples).samples, ElementsAreArray(samples));
}

TEST(Dedupe, CountsNothingIfItIsNotAsked) {
  auto source = through(test::memory_source({{"/a", 1, "x"}, {"/a", 1, "x"}}), dedupe());
  EXPECT_EQ(test::collect(*source).size(), 1U);
}

/// Of recordings that overlap, in whatever channels the merge gives them.
TEST(Dedupe, ChannelsOfOneContentAreOne) {
  Samples one{{"/a", 1, "x"}, {"/a", 2, "y"}};
  Samples other{{"/b", 1, "z"}, {"/a", 2, "y"}, {"/a", 3, "w"}};
  std::vector<std::unique_ptr<Source>> sources;
  sources.push_back(test::memory_source(one));
  sources.push_back(test::memory_source(other));
  auto source = through(merge(std::move(sources), Order::time), dedupe());
  EXPECT_EQ(test::collect(*source).size(), 4U);
}

}  // namespace
}  // namespace kitbag
