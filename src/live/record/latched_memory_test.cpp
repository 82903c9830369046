#include "live/record/latched_memory.h"

#include <gmock/gmock.h>

#include "tests/support/memory_source.h"

namespace kitbag {
namespace {

using test::Samples;
using ::testing::ElementsAre;
using ::testing::SizeIs;

TEST(LatchedMemory, IsBoundedInBytesAndTellsOnce) {
  std::vector<std::string> reported;
  LatchedMemory memory([&](const Error& error) { reported.push_back(error.message()); }, 10);
  test::MemoryOptions options;
  options.metadata = {{"latching", "1"}};
  test::MemorySource source({{"/a", 0, "123456"},
                             {"/b", 1, "123456"},
                             {"/c", 2, "1234"},
                             {"/a", 3, "12345678901"},
                             {"/b", 4, "123456"}},
                            options);
  Batch batch;
  ASSERT_TRUE(source.read(batch, {}));
  memory.widen(batch);
  memory.remember(batch);
  ChannelsPtr wide = batch.channels;
  Samples repeated = test::samples_of(memory.repeat(wide, from_ns(9)));
  std::vector<std::string> kept;
  for (const auto& sample : repeated) kept.push_back(sample.topic + "=" + sample.data);
  // A message older than one that did not fit does not count as the latest.
  EXPECT_THAT(kept, ElementsAre("/b=123456", "/c=1234"));
  EXPECT_THAT(reported, SizeIs(1));
}

}  // namespace
}  // namespace kitbag
