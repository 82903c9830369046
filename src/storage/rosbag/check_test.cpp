#include "storage/rosbag/check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/rosbag/test_bag.h"

namespace kitbag::rosbag {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct CheckedBag : TestBag {
  CheckedBag() {
    std::vector<Buffer> records;
    records.push_back(connection(0, "/a"));
    records.push_back(message(0, 1, "one"));
    records.push_back(message(0, 2, "two"));
    chunk_at = chunk(records);
    index_at = bytes.size();
  }
  void finish() { close(index_at, 1, 1); }

  std::uint64_t chunk_at = 0;
  std::uint64_t index_at = 0;
};

TEST(RosbagCheck, FindsNothingInASoundBag) {
  CheckedBag bag;
  bag.append(TestBag::connection(0, "/a"));
  bag.chunk_info(bag.chunk_at, 1, 2, {{0, 2}});
  bag.finish();
  EXPECT_THAT(bag.findings(), IsEmpty());
}

TEST(RosbagCheck, FindsChunkInfosThatDoNotFit) {
  CheckedBag bag;
  bag.append(TestBag::connection(0, "/a"));
  bag.chunk_info(bag.chunk_at, 1, 3, {{0, 7}});
  bag.finish();
  EXPECT_THAT(bag.findings(), ElementsAre(HasSubstr("counts in the chunk info record differ"),
                                          HasSubstr("00:00:03")));
}

TEST(RosbagCheck, FindsChunksThatAreNotListed) {
  CheckedBag bag;
  bag.append(TestBag::connection(0, "/a"));
  bag.close(bag.index_at, 1, 0);
  EXPECT_THAT(bag.findings(), ElementsAre(HasSubstr("no chunk info record lists this chunk")));
}

TEST(RosbagCheck, FindsListedChunksThatAreNotThere) {
  CheckedBag bag;
  bag.append(TestBag::connection(0, "/a"));
  bag.chunk_info(bag.chunk_at, 1, 2, {{0, 2}});
  bag.chunk_info(bag.chunk_at + 4, 1, 2, {{0, 2}});
  bag.close(bag.index_at, 1, 2);
  EXPECT_THAT(bag.findings(), ElementsAre(HasSubstr("but there is none")));
}

TEST(RosbagCheck, FindsContradictingConnections) {
  CheckedBag bag;
  bag.append(TestBag::connection(0, "/other"));
  bag.chunk_info(bag.chunk_at, 1, 2, {{0, 2}});
  bag.finish();
  EXPECT_THAT(bag.findings(), Contains(HasSubstr("contradict")));
}

TEST(RosbagCheck, FindsIndexEntriesThatDoNotFit) {
  CheckedBag bag;
  bag.append(TestBag::connection(0, "/a"));
  bag.chunk_info(bag.chunk_at, 1, 2, {{0, 2}});
  bag.finish();
  // The last entry of the index behind the chunk: its offset.
  bag.bytes.data()[bag.index_at - 1] ^= std::byte{0x10};
  EXPECT_THAT(bag.findings(),
              ElementsAre(AllOf(HasSubstr("holds 2 messages"), HasSubstr("lists 2"))));
}

TEST(RosbagCheck, OnlyRemarksOnAnAppendThatWasNotCompleted) {
  for (bool has_messages : {true, false}) {
    CheckedBag bag;
    bag.append(TestBag::connection(0, "/a"));
    bag.chunk_info(bag.chunk_at, 1, 2, {{0, 2}});
    bag.finish();
    std::vector<Buffer> records;
    records.push_back(TestBag::message(0, 3, "three"));
    if (has_messages) bag.chunk(records);
    bag.append(TestBag::connection(0, "/a"));
    bag.chunk_info(bag.chunk_at, 1, 2, {{0, 2}});
    EXPECT_THAT(bag.findings(), ElementsAre(HasSubstr("incomplete or running append")));
    EXPECT_NO_THROW(bag.open()) << "strict reading passes over remarks";
  }
}

TEST(RosbagCheck, FindsMessagesOutOfOrder) {
  TestBag bag;
  std::vector<Buffer> records;
  records.push_back(TestBag::connection(0, "/a"));
  for (std::uint64_t at : {1U, 5U, 3U, 4U, 6U}) records.push_back(TestBag::message(0, at, ""));
  std::uint64_t chunk = bag.chunk(records);
  std::uint64_t index_pos = bag.bytes.size();
  bag.append(TestBag::connection(0, "/a"));
  bag.chunk_info(chunk, 1, 6, {{0, 5}});
  bag.close(index_pos, 1, 1);
  EXPECT_THAT(bag.findings(), ElementsAre(HasSubstr("2 messages come after later ones")));
}

TEST(RosbagCheck, FindsABagThatWasNotClosed) {
  CheckedBag bag;
  EXPECT_THAT(bag.findings(), ElementsAre(HasSubstr("not closed")));
}

/// What a reader tells of the bag, by its index and whole.
std::vector<std::string> told_by_reading(const TestBag& bag) {
  std::vector<std::string> told;
  lines_of(*bag.open([&](const Error& e) { told.push_back(e.what()); }));
  return told;
}

TEST(RosbagCheck, AndReadingTakeSeveralIndexRecordsAndCountsOfAConnection) {
  TestBag bag;
  Buffer connection = TestBag::connection(0, "/a");
  Buffer message = TestBag::message(0, 1, "one");
  std::size_t second = connection.size() + message.size();
  std::uint64_t first = connection.size();
  std::vector<Buffer> records;
  records.push_back(TestBag::connection(0, "/a"));
  records.push_back(std::move(message));
  records.push_back(TestBag::message(0, 2, "two"));
  Buffer content;
  for (const Buffer& record : records) content.append(record.view());
  std::uint64_t chunk = bag.bytes.size();
  RecordWriter(bag.bytes, Op::chunk)
      .field("compression", "none")
      .field("size", static_cast<std::uint32_t>(content.size()))
      .data(content.view());
  for (auto [time, offset] : {std::pair<std::uint64_t, std::size_t>(1, first), {2, second}}) {
    Buffer entry;
    store_le(store_le(entry.extend(kIndexEntryBytes), time), static_cast<std::uint32_t>(offset));
    RecordWriter(bag.bytes, Op::index)
        .field("ver", kIndexVersion)
        .field("conn", std::uint32_t{0})
        .field("count", std::uint32_t{1})
        .data(entry.view());
  }
  std::uint64_t index_at = bag.bytes.size();
  bag.append(connection);
  bag.chunk_info(chunk, 1, 2, {{0, 1}, {0, 1}});
  bag.close(index_at, 1, 1);
  EXPECT_THAT(bag.findings(), IsEmpty());
  EXPECT_THAT(told_by_reading(bag), IsEmpty());
}

TEST(RosbagCheck, AndReadingTakeACompressedChunkOfNothing) {
  CheckedBag bag;
  std::uint64_t empty = bag.bytes.size();
  RecordWriter(bag.bytes, Op::chunk)
      .field("compression", "bz2")
      .field("size", std::uint32_t{0})
      .data({});
  bag.index_at = bag.bytes.size();
  bag.append(TestBag::connection(0, "/a"));
  bag.chunk_info(bag.chunk_at, 1, 2, {{0, 2}});
  bag.chunk_info(empty, 0, 0, {{0, 0}});
  bag.close(bag.index_at, 1, 2);
  EXPECT_THAT(bag.findings(), IsEmpty());
  EXPECT_THAT(told_by_reading(bag), IsEmpty());
}

}  // namespace
}  // namespace kitbag::rosbag
