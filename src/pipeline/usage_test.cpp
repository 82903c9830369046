#include "kitbag/usage.h"

#include <gmock/gmock.h>

#include "kitbag/error.h"
#include "tests/support/memory_source.h"

namespace kitbag {
namespace {

TEST(Usage, SumsByTopicAndTypeTheLargestFirst) {
  auto source = test::memory_source(
      {{"/a", 1, "12"}, {"/b", 2, "12345"}, {"/a", 3, "123"}, {"/a", 4, "1234567", "test/Other"}});
  auto all = usage(*source);
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0].type, "test/Other");
  EXPECT_EQ(all[0].bytes, 7U);
  EXPECT_EQ(all[1].topic, "/a");  // as large as /b: by name
  EXPECT_EQ(all[1].messages, 2U);
  EXPECT_EQ(all[1].bytes, 5U);
  EXPECT_EQ(all[2].topic, "/b");
}

TEST(Usage, IsCancelledOnStop) {
  std::stop_source stop;
  stop.request_stop();
  auto source = test::memory_source({{"/a", 1, "12"}});
  EXPECT_THROW(usage(*source, stop.get_token()), Error);
}

}  // namespace
}  // namespace kitbag
