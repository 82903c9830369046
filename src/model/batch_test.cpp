#include <gmock/gmock.h>

#include <utility>

#include "tests/support/memory_source.h"

namespace kitbag {
namespace {

using test::batch_of;
using test::Samples;
using test::samples_of;
using testing::ElementsAre;

Samples numbered(std::size_t count) {
  Samples samples;
  for (std::size_t i = 0; i < count; ++i) {
    samples.push_back({"/a", static_cast<std::int64_t>(i), std::string(i % 7, 'x')});
  }
  return samples;
}

std::size_t payload_in(const Batch& batch) {
  std::size_t bytes = 0;
  for (const Message& message : batch.messages()) bytes += message.data.size();
  return bytes;
}

TEST(Batch, IsFullAtItsLimitOfMessages) {
  Batch batch;
  Message message{};
  for (std::size_t i = 0; i + 1 < kBatchMessages; ++i) batch.add(message);
  EXPECT_FALSE(batch.full());
  batch.add(message);
  EXPECT_TRUE(batch.full());
}

TEST(Batch, IsFullAtItsLimitOfBytes) {
  std::vector<std::byte> bytes(kBatchBytes);
  Batch batch;
  batch.add({nullptr, 0, 0, {}, {}, ByteView(bytes).first(kBatchBytes - 1)});
  EXPECT_FALSE(batch.full());
  batch.add({nullptr, 0, 0, {}, {}, ByteView(bytes).first(1)});
  EXPECT_TRUE(batch.full());
}

TEST(Batch, SeveralMessagesAreAddedAsOneAtATime) {
  Batch from = batch_of(numbered(6));
  Batch batch;
  batch.channels = from.channels;
  batch.keep(from);
  batch.add(from.messages()[0]);
  batch.add(std::as_const(from).messages().subspan(1));
  EXPECT_EQ(samples_of(batch), numbered(6));
  EXPECT_EQ(batch.payload(), from.payload());
}

TEST(Batch, DropsMessagesAndTheirBytes) {
  Batch batch = batch_of({{"/a", 1, "one"}, {"/a", 2, "three"}, {"/a", 3, "fours"}});
  batch.drop_if([](const Message& message) { return to_ns(message.log_time) == 2; });
  EXPECT_EQ(samples_of(batch), (Samples{{"/a", 1, "one"}, {"/a", 3, "fours"}}));
  EXPECT_EQ(batch.payload(), 8U);
}

TEST(Batch, DropsBehindWhatWasTaken) {
  Batch batch = batch_of(numbered(6));
  Batch front;
  front.take_front(batch, 2);
  batch.drop_if([](const Message& message) { return to_ns(message.log_time) % 2 == 0; });
  EXPECT_THAT(samples_of(batch), ElementsAre(numbered(6)[3], numbered(6)[5]));
  EXPECT_EQ(batch.payload(), payload_in(batch));
}

TEST(Batch, TakeFrontCutsExactly) {
  Samples all = numbered(20);
  for (std::size_t count = 0; count <= all.size(); ++count) {
    Batch from = batch_of(all);
    Batch front;
    front.take_front(from, count);
    auto cut = all.begin() + static_cast<std::ptrdiff_t>(count);
    EXPECT_EQ(samples_of(front), Samples(all.begin(), cut));
    EXPECT_EQ(samples_of(from), Samples(cut, all.end()));
    EXPECT_EQ(front.payload(), payload_in(front));
    EXPECT_EQ(from.payload(), payload_in(from));
    EXPECT_EQ(front.channels, from.channels);
    EXPECT_EQ(from.empty(), count == all.size());
  }
}

TEST(Batch, BothPartsOutliveEachOther) {
  Batch front;
  {
    Batch from = batch_of(numbered(5));
    front.take_front(from, 3);
  }
  EXPECT_EQ(samples_of(front).size(), 3U);
  Batch rest = batch_of(numbered(5));
  { Batch().take_front(rest, 3); }
  EXPECT_THAT(samples_of(rest), ElementsAre(numbered(5)[3], numbered(5)[4]));
}

TEST(Batch, TakingTwiceKeepsOneOwner) {
  Batch from = batch_of(numbered(9));
  std::size_t pinned = from.pinned();
  Batch front;
  front.take_front(from, 2);
  front.take_front(from, 3);
  EXPECT_EQ(samples_of(front).size(), 5U);
  EXPECT_EQ(front.pinned(), pinned);
  front.keep(from);
  EXPECT_EQ(front.pinned(), pinned);
}

TEST(Batch, TakesTheLongerTableOfChannels) {
  Batch known = batch_of({{"/a", 1, "x"}});
  Batch more = batch_of({{"/a", 2, "y"}, {"/b", 3, "z"}});
  ChannelsPtr longer = more.channels;
  Batch all;
  all.take_front(more, 0);
  all.take_front(known, 0);
  EXPECT_EQ(all.channels, longer);
}

TEST(Batch, OwnersAreOneByWhatTheyKeepNotByAddress) {
  auto block = std::make_shared<std::pair<int, int>>();
  Batch batch;
  batch.keep(block, 8);
  Batch other;
  other.keep(std::shared_ptr<int>(block, &block->second), 8);
  batch.keep(other);
  EXPECT_EQ(block.use_count(), 3);
  EXPECT_EQ(batch.pinned(), 8U);
}

TEST(Batch, AnOwnerOfNothingPinsNothing) {
  Batch batch;
  batch.keep(Owner(), 100);
  EXPECT_EQ(batch.pinned(), 0U);
}

TEST(Batch, CompactLetsTheOwnersGo) {
  std::weak_ptr<const void> watched;
  Batch batch;
  {
    auto chunk = std::make_shared<std::vector<std::byte>>(1000, std::byte{7});
    watched = chunk;
    batch.keep(chunk, chunk->size());
    batch.add({nullptr, 1, 0, {}, {}, ByteView(*chunk).first(3)});
    batch.add({nullptr, 2, 0, {}, {}, {}});
    batch.add({nullptr, 3, 0, {}, {}, ByteView(*chunk).last(2)});
  }
  ASSERT_FALSE(watched.expired());
  batch.compact();
  EXPECT_TRUE(watched.expired());
  EXPECT_EQ(batch.pinned(), 5U);
  EXPECT_EQ(batch.payload(), 5U);
  ASSERT_EQ(batch.messages().size(), 3U);
  EXPECT_EQ(as_text(batch.messages()[0].data), "\a\a\a");
  EXPECT_TRUE(batch.messages()[1].data.empty());
  EXPECT_EQ(as_text(batch.messages()[2].data), "\a\a");
}

TEST(Batch, CompactsWhatIsLeftAfterTaking) {
  Batch batch = batch_of(numbered(10));
  { Batch().take_front(batch, 6); }
  batch.compact();
  Samples all = numbered(10);
  EXPECT_EQ(samples_of(batch), Samples(all.begin() + 6, all.end()));
  EXPECT_EQ(batch.pinned(), payload_in(batch));
}

TEST(Batch, CompactsNothingToNothing) {
  Batch batch;
  batch.compact();
  EXPECT_EQ(batch.pinned(), 0U);
  EXPECT_TRUE(batch.empty());
}

TEST(Batch, ClearKeepsTheChannels) {
  Batch batch = batch_of(numbered(4));
  ChannelsPtr channels = batch.channels;
  { Batch().take_front(batch, 1); }
  batch.clear();
  EXPECT_TRUE(batch.empty());
  EXPECT_EQ(batch.payload(), 0U);
  EXPECT_EQ(batch.pinned(), 0U);
  EXPECT_EQ(batch.channels, channels);
}

}  // namespace
}  // namespace kitbag
