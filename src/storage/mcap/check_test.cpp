#include "storage/mcap/check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/mcap/test_file.h"

namespace kitbag::mcap {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// One chunk with a message index behind it, which lists its message at `offset`.
struct IndexedFile : TestFile {
  explicit IndexedFile(std::uint64_t time = 10, std::uint64_t lie = 0) {
    std::string described = channel(1, "/a", 0);
    std::string content = described + message(1, 10, "one");
    index.start = index.end = time;
    index.chunk_offset = bytes.size();
    mcap::append(bytes, ChunkHead{time, time, content.size(), crc32(as_bytes(content)), "",
                                  content.size(), 0});
    append(content);
    index.chunk_bytes = bytes.size() - index.chunk_offset;
    index.compressed_size = index.uncompressed_size = content.size();
    index.message_index_offsets = {{1, bytes.size()}};
    RecordWriter(bytes, Op::message_index)
        .number(std::uint16_t{1})
        .number(std::uint32_t{16})
        .number(std::uint64_t{10})
        .number(std::uint64_t{described.size() + lie})
        .finish();
    index.message_index_bytes = bytes.size() - index.message_index_offsets[0].second;
    summary.add(*parse_channel(as_bytes(described).subspan(kRecordHead)));
  }
  void finish() {
    summary.add(index);
    summary.add_messages(1, 1, 10, 10);
    close();
  }

  ChunkIndex index;
};

TEST(McapCheck, FindsNothingInASoundFile) {
  IndexedFile file;
  file.finish();
  EXPECT_THAT(findings(file.bytes.view()), IsEmpty());
}

TEST(McapCheck, FindsMessageIndexesThatDoNotFit) {
  IndexedFile file(10, 1);
  file.finish();
  EXPECT_THAT(findings(file.bytes.view()), ElementsAre(HasSubstr("do not match the 1 entries")));
}

TEST(McapCheck, FindsWrongTimesOfChunks) {
  IndexedFile file(11);
  file.finish();
  EXPECT_THAT(findings(file.bytes.view()), Contains(HasSubstr("gives 11 to 11")));
}

TEST(McapCheck, FindsChunkIndexesThatLie) {
  IndexedFile file;
  ++file.index.uncompressed_size;
  file.finish();
  EXPECT_THAT(findings(file.bytes.view()), ElementsAre(HasSubstr("uncompressed size")));
}

TEST(McapCheck, FindsChunksThatAreNotListed) {
  IndexedFile file;
  file.chunk({TestFile::message(1, 20, "two")}, 20, 20);
  SummaryBuilder fresh;
  fresh.add(*parse_channel(as_bytes(TestFile::channel(1, "/a", 0)).subspan(kRecordHead)));
  file.summary = std::move(fresh);
  file.finish();
  auto found = findings(file.bytes.view());
  EXPECT_THAT(found, Contains(HasSubstr("does not list this chunk")));
  EXPECT_THAT(found, Contains(HasSubstr("statistics")));
}

TEST(McapCheck, OnlyRemarksOnAnAppendThatWasNotCompleted) {
  IndexedFile file;
  file.finish();
  std::size_t end = file.bytes.size();
  file.chunk({TestFile::message(1, 20, "two")}, 20, 20);
  for (std::size_t size = file.bytes.size(); size > end;
       size -= std::min<std::size_t>(size - end, 7)) {
    EXPECT_THAT(findings(file.bytes.view().first(size)),
                ElementsAre(HasSubstr("incomplete or running append")))
        << size;
  }
}

TEST(McapCheck, FilesThatSomebodyHasJoinedAreNoAppend) {
  IndexedFile file;
  file.finish();
  IndexedFile other;
  other.finish();
  file.bytes.append(other.bytes.view());
  EXPECT_THAT(findings(file.bytes.view()), Contains(testing::Not(HasSubstr("not completed"))));
}

TEST(McapCheck, FindsMessagesOutOfOrder) {
  IndexedFile file;
  file.index.start = 10;
  std::uint64_t place = file.chunk({TestFile::message(1, 5, "late")}, 5, 5);
  EXPECT_GT(place, 0U);
  file.finish();
  EXPECT_THAT(findings(file.bytes.view()), Contains(HasSubstr("1 message comes after later ones")));
}

}  // namespace
}  // namespace kitbag::mcap
