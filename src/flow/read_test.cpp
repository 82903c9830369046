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

/// What is latched on /map, and as what it stands in the file of a recording.
struct Latched {
  bool is_repeat;
  std::int64_t time;
  std::string data;
};

class LatchedFile final : public Bag {
 public:
  explicit LatchedFile(std::vector<Latched> messages)
      : messages_(std::make_shared<const std::vector<Latched>>(std::move(messages))) {
    auto schema = std::make_shared<const Schema>(Schema{"test/Map", "ros1msg", ""});
    Channels channels;
    for (bool is_repeat : {false, true}) {
      Channel channel{"/map", "ros1", schema, {{"latching", "1"}}, is_repeat ? 1U : 0U};
      if (is_repeat) channel.metadata.emplace(kRepeatedKey, "1");
      channels.push_back(std::make_shared<const Channel>(std::move(channel)));
    }
    summary_.channels = std::make_shared<const Channels>(std::move(channels));
    summary_.start = from_ns(messages_->front().time);
  }

  const Summary& summary() const override { return summary_; }
  std::unique_ptr<Source> read_messages(const Query&, const Wait&) const override {
    return std::make_unique<Whole>(all());
  }
  Batch find_last(const LastQuery& query, const Wait&) const override {
    Batch batch = all();
    const Message* last = nullptr;
    for (const Message& message : std::as_const(batch).messages()) {
      bool is_asked = query.slots[message.channel->slot] != 0 && message.log_time < query.time;
      if (is_asked) last = &message;
    }
    batch.drop_if([last](const Message& message) { return &message != last; });
    return batch;
  }

 private:
  class Whole final : public Source {
   public:
    explicit Whole(Batch batch) : batch_(std::move(batch)), channels_(batch_.channels) {}
    ChannelsPtr channels() const override { return channels_; }
    bool read(Batch& batch, const Wait&) override {
      return !std::exchange(is_given_, true) && (batch = std::move(batch_), true);
    }

   private:
    Batch batch_;
    ChannelsPtr channels_;
    bool is_given_ = false;
  };

  Batch all() const {
    Batch batch;
    batch.channels = summary_.channels;
    batch.keep(messages_, 0);
    for (const Latched& each : *messages_) {
      const Channel* channel = (*summary_.channels)[each.is_repeat ? 1 : 0].get();
      batch.add({channel, 0, 0, from_ns(each.time), from_ns(each.time), as_bytes(each.data)});
    }
    return batch;
  }

  std::shared_ptr<const std::vector<Latched>> messages_;
  Summary summary_;
};

/// Three files of a recording: "b" replaces "a" in the second one.
BagPtr latched_file(int number) {
  if (number == 0) return std::make_shared<LatchedFile>(std::vector<Latched>{{false, 10, "a"}});
  if (number == 1) {
    return std::make_shared<LatchedFile>(std::vector<Latched>{{true, 20, "a"}, {false, 25, "b"}});
  }
  return std::make_shared<LatchedFile>(std::vector<Latched>{{true, 30, "b"}});
}

TEST(Read, LeavesOutRepeatsThatAnEarlierBagHas) {
  EXPECT_EQ(read_order({latched_file(0), latched_file(1), latched_file(2)}, {}), "ab");
  EXPECT_EQ(read_order({latched_file(2), latched_file(0), latched_file(1)}, {}), "ab");
  EXPECT_EQ(read_order({latched_file(1), latched_file(2)}, {}), "ab");
}

TEST(Read, KeepsARepeatThatNoEarlierBagHas) {
  EXPECT_EQ(read_order({latched_file(0), latched_file(2)}, {}), "ab");
  auto other = std::make_shared<SamplesBag>(Samples{{"/imu", 1, "i"}});
  EXPECT_EQ(read_order({other, latched_file(2)}, {}), "ib");
  EXPECT_EQ(read_order({other, latched_file(1), latched_file(2)}, {}), "iab");
}

TEST(Read, KeepsRepeatsOfSeveralBagsInOneChannelIfOneIsUnknown) {
  auto merged =
      std::make_shared<LatchedFile>(std::vector<Latched>{{true, 30, "a"}, {true, 31, "c"}});
  EXPECT_EQ(read_order({latched_file(0), merged}, {}), "aac");
  auto known =
      std::make_shared<LatchedFile>(std::vector<Latched>{{true, 40, "a"}, {true, 41, "c"}});
  EXPECT_EQ(read_order({latched_file(0), merged, known}, {}), "aac");
}

}  // namespace
}  // namespace kitbag
