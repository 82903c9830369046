#include <gmock/gmock.h>

#include "kitbag/pipeline.h"
#include "tests/support/memory_source.h"
#include "tests/support/thrown_by.h"

namespace kitbag {
namespace {

using namespace std::chrono_literals;
using test::Samples;
using ::testing::ElementsAreArray;

TEST(Shift, MovesBothTimes) {
  for (auto [by, first, second] : {std::tuple(5ns, 15, 12), std::tuple(-20ns, -10, -13)}) {
    auto source = through(test::memory_source({{"/a", 10, "x", "test/Type", 7}}), shift(by));
    EXPECT_THAT(test::collect(*source),
                ElementsAreArray(Samples{{"/a", first, "x", "test/Type", second}}));
  }
}

TEST(Shift, MovesWhenAttachmentsWereRecordedIfThatIsKnown) {
  Batch batch;
  batch.extras = {Attachment{"a", "", from_ns(10), from_ns(3), nullptr}, Metadata{"m", {}},
                  Attachment{"b", "", Time(), Time(), nullptr}};
  shift(5ns)->apply(batch);
  EXPECT_EQ(std::get<Attachment>(batch.extras[0]).log_time, from_ns(15));
  EXPECT_EQ(std::get<Attachment>(batch.extras[0]).create_time, from_ns(3));
  EXPECT_EQ(std::get<Attachment>(batch.extras[2]).log_time, Time());
}

TEST(Shift, ATimeThatDoesNotExistIsAnError) {
  auto source = through(test::memory_source({{"/a", INT64_MAX - 1, "x"}}), shift(5ns));
  EXPECT_ERROR(invalid, test::collect(*source));
  source = through(test::memory_source({{"/a", -5, "x"}}), shift(Duration::min()));
  EXPECT_ERROR(invalid, test::collect(*source));
}

}  // namespace
}  // namespace kitbag
