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

}  // namespace
}  // namespace kitbag::rosbag
