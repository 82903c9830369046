#include <gmock/gmock.h>

#include "kitbag/pipeline.h"
#include "tests/support/memory_source.h"
#include "tests/support/source_rules.h"

namespace kitbag {
namespace {

using test::collect;
using test::memory_source;
using test::Samples;

/// A bag that gives all its samples whatever is asked, in batches of two, and notes what was.
class SamplesBag final : public Bag {
 public:
  explicit SamplesBag(Samples samples) : samples_(std::move(samples)) {}

  const Summary& summary() const override { return summary_; }
  std::unique_ptr<Source> read_messages(const Query& query, const Wait&) const override {
    asked = query;
    return memory_source(samples_, {.batch_messages = 2});
  }

  mutable Query asked;

 private:
  Samples samples_;
  Summary summary_;
};

std::string read_order(const std::vector<BagPtr>& bags, const Query& query) {
  std::string order;
  auto source = read(bags, query);
  for (const test::Sample& sample : collect(*source)) order += sample.data;
  return order;
}

std::vector<BagPtr> two_bags() {
  return {std::make_shared<SamplesBag>(Samples{{"/a", 1, "1"}, {"/a", 3, "3"}, {"/a", 5, "5"}}),
          std::make_shared<SamplesBag>(Samples{{"/a", 2, "2"}, {"/a", 4, "4"}, {"/a", 6, "6"}})};
}

TEST(Read, LeavesOneBagToItself) {
  auto bag = std::make_shared<SamplesBag>(Samples{{"/a", 1, "1"}});
  Query query;
  query.nth = 3;
  EXPECT_EQ(read_order({bag}, query), "1");
  EXPECT_EQ(bag->asked.nth, 3U);
}

TEST(Read, CountsTheMessagesOfSeveralBagsTogether) {
  Query query;
  EXPECT_EQ(read_order(two_bags(), query), "123456");
  query.nth = 3;
  EXPECT_EQ(read_order(two_bags(), query), "456");
  query.count = 2;
  EXPECT_EQ(read_order(two_bags(), query), "45");
  query.nth = 0;
  EXPECT_EQ(read_order(two_bags(), query), "12");
  query.count = 0;
  EXPECT_EQ(read_order(two_bags(), query), "");
  query.nth = 7;
  EXPECT_EQ(read_order(two_bags(), query), "");
}

TEST(Read, AsksEachBagForEverything) {
  auto bags = two_bags();
  Query query;
  query.nth = 3;
  query.count = 2;
  query.begin = from_ns(1);
  read_order(bags, query);
  const Query& asked = static_cast<const SamplesBag&>(*bags[1]).asked;
  EXPECT_EQ(asked.nth, 0U);
  EXPECT_EQ(asked.count, UINT64_MAX);
  EXPECT_EQ(to_ns(asked.begin), 1);
}

TEST(Read, StateFromBeforeTheRangeIsNeitherSkippedNorCounted) {
  /// Latched throughout; asked for what was before 4, it gives the last of it.
  class LatchedBag final : public Bag {
   public:
    LatchedBag() {
      summary_.channels = of(before_)->channels();
      summary_.message_counts = {3};
    }
    const Summary& summary() const override { return summary_; }
    std::unique_ptr<Source> read_messages(const Query& query, const Wait&) const override {
      return of(query.order == Order::reverse_time ? before_ : after_);
    }

   private:
    static std::unique_ptr<Source> of(const Samples& samples) {
      return memory_source(samples, {.metadata = {{"latching", "1"}}});
    }
    Samples before_ = {{"/map", 3, "3"}, {"/map", 1, "1"}};
    Samples after_ = {{"/map", 5, "5"}, {"/map", 7, "7"}};
    Summary summary_;
  };
  std::vector<BagPtr> bags = {std::make_shared<LatchedBag>(), std::make_shared<LatchedBag>()};
  Query query;
  query.begin = from_ns(4);
  EXPECT_EQ(read_order(bags, query), "5577");
  query.latched_before = true;
  EXPECT_EQ(read_order(bags, query), "335577");
  query.nth = 1;
  query.count = 2;
  EXPECT_EQ(read_order(bags, query), "3357");
}

}  // namespace
}  // namespace kitbag
