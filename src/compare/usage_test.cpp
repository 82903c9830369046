#include "kitbag/usage.h"

#include <gmock/gmock.h>

#include <cmath>

#include "kitbag/error.h"
#include "tests/support/memory_source.h"
#include "tests/support/thrown_by.h"
#include "tests/support/units.h"

namespace kitbag {
namespace {

using test::kSecond;

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
  EXPECT_ERROR(cancelled, usage(*source, stop.get_token()));
}

TEST(Timings, TellHowRegularlyMessagesCome) {
  auto source = test::memory_source({{"/a", 0, "1"},
                                     {"/b", kSecond, "1"},
                                     {"/a", kSecond, "12"},
                                     {"/a", 2 * kSecond, "1"},
                                     {"/a", 5 * kSecond, "1"}});
  auto all = timings(*source);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].messages, 4U);
  EXPECT_EQ(all[0].bytes, 5U);
  EXPECT_DOUBLE_EQ(all[0].mean_s, 5.0 / 3);
  EXPECT_NEAR(all[0].deviation_s, std::sqrt(8.0 / 9), 1e-12);
  EXPECT_DOUBLE_EQ(all[0].least_s, 1);
  EXPECT_DOUBLE_EQ(all[0].most_s, 3);
  EXPECT_EQ(all[1].mean_s, 0);
}

/// Nothing is known before it is read.
class StreamBag final : public Bag {
 public:
  StreamBag() { summary_.is_stream = true; }
  const Summary& summary() const override { return summary_; }
  std::unique_ptr<Source> read_messages(const Query&, const Wait&) const override {
    return test::memory_source({{"/b", 7, "1"}, {"/a", 3, "12"}, {"/b", 5, "1"}});
  }

 private:
  Summary summary_;
};

TEST(CountedSummary, ReadsAStream) {
  Summary summary = counted_summary(StreamBag());
  EXPECT_EQ(summary.messages, 3U);
  EXPECT_EQ(summary.start, from_ns(3));
  EXPECT_EQ(summary.end, from_ns(7));
  ASSERT_EQ(summary.channels->size(), summary.message_counts.size());
  for (std::size_t slot = 0; slot < summary.channels->size(); ++slot) {
    bool is_b = (*summary.channels)[slot]->topic == "/b";
    EXPECT_EQ(summary.message_counts[slot], is_b ? 2U : 1U);
  }
}

}  // namespace
}  // namespace kitbag
