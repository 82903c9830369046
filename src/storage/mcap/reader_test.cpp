#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kitbag/session.h"
#include "storage/mcap/test_file.h"
#include "tests/support/thrown_by.h"

namespace kitbag::mcap {
namespace {

using test::thrown_by;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// Two chunks, an attachment, metadata and a private record between them.
TestFile full_file() {
  TestFile file;
  file.summary.add(*parse_schema(as_bytes(TestFile::schema()).subspan(kRecordHead)));
  file.summary.add(*parse_channel(as_bytes(TestFile::channel(1, "/a")).subspan(kRecordHead)));
  file.chunk({TestFile::schema(), TestFile::channel(1, "/a"), TestFile::message(1, 10, "one"),
              TestFile::message(1, 30, "three")},
             10, 30);
  mcap::append(file.bytes, MetadataRecord{"robot", {{"name", "kit"}}});
  file.private_record(0x99, "secret");
  file.chunk({TestFile::message(1, 20, "two"), TestFile::message(1, 40, "four")}, 20, 40);
  return file;
}

TEST(McapReader, FilesWithoutASummaryAreScannedWithoutAWord) {
  TestFile file = full_file();
  SummaryParts none{false, false, false, false, false, false, false};
  file.close(none);
  ReadBack back = read_back(file.bytes.view());
  EXPECT_THAT(back.problems, IsEmpty());
  EXPECT_FALSE(back.summary.indexed);
  EXPECT_EQ(back.summary.messages, 4U);
  EXPECT_EQ(back.summary.chunks, 2U);
  EXPECT_THAT(back.payloads, ElementsAre("one", "two", "three", "four"));
}

TEST(McapReader, ChunksWithoutMessageIndexesAreCountedByTheStatistics) {
  TestFile file = full_file();
  file.summary.add_messages(1, 4, 10, 40);
  file.close();
  ReadBack back = read_back(file.bytes.view());
  EXPECT_THAT(back.problems, IsEmpty());
  EXPECT_TRUE(back.summary.indexed);
  EXPECT_EQ(back.summary.messages, 4U);
  EXPECT_THAT(back.summary.message_counts, ElementsAre(4U));
  EXPECT_THAT(back.payloads, ElementsAre("one", "two", "three", "four"));
  Query query;
  query.nth = 2;
  query.count = 1;
  EXPECT_THAT(read_back(file.bytes.view(), query).payloads, ElementsAre("three"));
}

TEST(McapReader, StatisticsNeedNotCountByChannel) {
  TestFile file = full_file();
  Statistics statistics;
  statistics.messages = 4;
  file.summary.set(statistics);
  file.close();
  ReadBack back = read_back(file.bytes.view());
  EXPECT_EQ(back.summary.messages, 4U);
  EXPECT_THAT(back.payloads, ElementsAre("one", "two", "three", "four"));
}

TEST(McapReader, ExtrasThatNoIndexListsAreFound) {
  TestFile file = full_file();
  file.summary.add_messages(1, 4, 10, 40);
  file.close();
  for (bool trust_index : {true, false}) {
    ReadBack back = read_back(file.bytes.view(), {}, trust_index);
    EXPECT_THAT(back.problems, IsEmpty());
    ASSERT_THAT(back.extras, SizeIs(2));
    EXPECT_EQ(std::get<Metadata>(back.extras[0]).values.at("name"), "kit");
    const auto& secret = std::get<PrivateRecord>(back.extras[1]);
    EXPECT_EQ(secret.opcode, 0x99);
    std::string content(6, '\0');
    secret.data->read(0, std::as_writable_bytes(std::span(content)));
    EXPECT_EQ(content, "secret");
  }
}

TEST(McapReader, MessagesBetweenAndWithoutChunksAreRead) {
  TestFile file;
  file.append(TestFile::schema());
  file.append(TestFile::channel(1, "/a"));
  file.append(TestFile::message(1, 50, "loose"));
  file.chunk({TestFile::message(1, 10, "one")}, 10, 10);
  file.private_record(0x20, "unknown to everybody");
  file.append(TestFile::message(1, 5, "first"));
  file.append(TestFile::channel(2, "/b", 0));
  file.append(TestFile::message(2, 60, "last"));
  file.close({false, false, false, false, false, false, false});
  ReadBack back = read_back(file.bytes.view());
  EXPECT_THAT(back.problems, IsEmpty());
  EXPECT_THAT(back.payloads, ElementsAre("first", "one", "loose", "last"));
  EXPECT_THAT(read_back(file.bytes.view(), file_order()).payloads,
              ElementsAre("loose", "one", "first", "last"));
  EXPECT_EQ(back.summary.channels->at(1)->schema, nullptr);
}

TEST(McapReader, ASummaryThatDoesNotFitIsNotBelieved) {
  TestFile file = full_file();
  ChunkIndex lying;
  lying.chunk_offset = 40;
  lying.chunk_bytes = 100;
  file.summary.add(lying);
  file.summary.add_messages(1, 4, 10, 40);
  file.close();
  ReadBack back = read_back(file.bytes.view());
  EXPECT_THAT(back.payloads, ElementsAre("one", "two", "three", "four"));
  EXPECT_THAT(findings(file.bytes.view()), Not(IsEmpty()));
}

TEST(McapReader, AMetadataRecordThatDoesNotParseIsTold) {
  TestFile file;
  file.append(TestFile::schema());
  file.append(TestFile::channel(1, "/a"));
  file.append(TestFile::message(1, 10, "one"));
  file.private_record(static_cast<std::uint8_t>(Op::metadata), std::string(2 << 20, '\xff'));
  file.close();
  ReadBack back = read_back(file.bytes.view());
  EXPECT_THAT(back.payloads, ElementsAre("one"));
  EXPECT_THAT(back.problems, testing::Contains(HasSubstr("metadata record here is damaged")));
}

TEST(McapReader, StatisticsThatPromiseMoreAreTold) {
  TestFile file = full_file();
  file.summary.add_messages(1, 9, 10, 40);
  file.close();
  ReadBack back = read_back(file.bytes.view(), {}, false);
  EXPECT_THAT(back.problems, ElementsAre(HasSubstr("promise 9 messages")));
  ASSERT_THAT(back.losses, SizeIs(1));
  EXPECT_EQ(back.losses[0].messages, 5U);
}

TEST(McapReader, AChunkWhoseCrcIsWrongIsToldAndGiven) {
  TestFile file = full_file();
  file.close({false, false, false, false, false, false, false});
  auto at = as_text(file.bytes.view()).find("three");
  file.bytes.data()[at] ^= std::byte{1};
  ReadBack back = read_back(file.bytes.view());
  EXPECT_THAT(back.problems, ElementsAre(HasSubstr("CRC")));
  EXPECT_THAT(back.payloads, ElementsAre("one", "two", "uhree", "four"));
  ReadOptions strict;
  EXPECT_EQ(thrown_by([&] {
              mcap_format().open(input_of(file.bytes.view()), strict, Session(Registry()));
            }).code(),
            ErrorCode::corrupt);
  strict.check_crc = false;
  EXPECT_NO_THROW(mcap_format().open(input_of(file.bytes.view()), strict, Session(Registry())));
}

TEST(McapReader, AfterDamageInAChunkReadingGoesOn) {
  TestFile file;
  std::vector<std::string> records = {TestFile::schema(), TestFile::channel(1, "/a")};
  for (std::uint64_t i = 0; i < 20; ++i) {
    records.push_back(TestFile::message(1, i, "message " + std::to_string(i)));
  }
  file.chunk(records, 0, 19);
  file.close({false, false, false, false, false, false, false});
  auto payload = as_text(file.bytes.view()).find("message 7");
  store_le(file.bytes.data() + payload - 30, UINT64_MAX);  // its length
  ReadBack back = read_back(file.bytes.view());
  EXPECT_THAT(back.payloads, SizeIs(19));
  EXPECT_EQ(back.payloads[7], "message 8");
  EXPECT_THAT(back.problems, SizeIs(1));
}

TEST(McapReader, AChunkWhoseHeadIsLostGivesItsMessages) {
  TestFile file = full_file();
  std::uint64_t chunk =
      file.chunk({TestFile::message(1, 50, "five"), TestFile::message(1, 60, "six")}, 50, 60);
  file.close({false, false, false, false, false, false, false});
  std::fill_n(file.bytes.data() + chunk, 49, std::byte{0});
  ReadBack back = read_back(file.bytes.view());
  EXPECT_THAT(back.payloads, ElementsAre("one", "two", "three", "four", "five", "six"));
  EXPECT_THAT(back.problems, SizeIs(1));
}

TEST(McapReader, AttachmentsAreVerifiedWhenTheyAreRead) {
  TestFile file;
  AttachmentHead head{10, 5, "notes", "text/plain", 5, 0};
  std::size_t begin = file.bytes.size();
  mcap::append(file.bytes, head);
  file.bytes.append(as_bytes("hello"));
  std::uint32_t crc = crc32(file.bytes.view().subspan(begin + kRecordHead));
  store_le(file.bytes.extend(4), crc);
  file.close({false, false, false, false, false, false, false});
  for (bool is_damaged : {false, true}) {
    if (is_damaged) file.bytes.data()[as_text(file.bytes.view()).find("hello")] = std::byte{'j'};
    std::vector<std::string> problems;
    ReadOptions options{.on_problem = [&](const Error& e) { problems.push_back(e.message()); }};
    BagPtr bag = mcap_format().open(input_of(file.bytes.view()), options, Session(Registry()));
    EXPECT_THAT(problems, IsEmpty());
    auto extras = bag->extras();
    ASSERT_THAT(extras, SizeIs(1));
    const auto& attachment = std::get<Attachment>(extras[0]);
    EXPECT_EQ(attachment.name, "notes");
    EXPECT_EQ(attachment.create_time, from_ns(5));
    std::string text(5, '\0');
    EXPECT_EQ(attachment.data->read(0, std::as_writable_bytes(std::span(text))), 5U);
    EXPECT_EQ(text, is_damaged ? "jello" : "hello");
    EXPECT_EQ(problems.size(), is_damaged ? 1U : 0U);
    EXPECT_EQ(findings(file.bytes.view()).size(), is_damaged ? 1U : 0U);
  }
}

TEST(McapReader, AttachmentsAreSelectedByTheirLogTime) {
  TestFile file;
  mcap::append(file.bytes, AttachmentHead{10, 5, "notes", "text/plain", 0, 0});
  store_le(file.bytes.extend(4), std::uint32_t{0});
  file.close({false, false, false, false, false, false, false});
  BagPtr bag = mcap_format().open(input_of(file.bytes.view()), {}, Session(Registry()));
  for (std::int64_t begin : {10, 11}) {
    Query query;
    query.begin = from_ns(begin);
    Batch batch;
    EXPECT_EQ(bag->read(query)->read(batch, {}), begin == 10);
    EXPECT_EQ(batch.extras.size(), begin == 10 ? 1U : 0U);
  }
}

TEST(McapReader, ByPublishTime) {
  TestFile file;
  std::vector<std::string> records = {TestFile::channel(1, "/a", 0)};
  for (std::uint64_t i = 0; i < 4; ++i) {
    records.push_back(TestFile::message(1, i, std::to_string(i), 100 - i));
  }
  file.chunk(records, 0, 3);
  file.close({false, false, false, false, false, false, false});
  Query query;
  query.by = TimeField::publish_time;
  EXPECT_THAT(read_back(file.bytes.view(), query).payloads, ElementsAre("3", "2", "1", "0"));
  query.begin = from_ns(98);
  query.end = from_ns(100);
  EXPECT_THAT(read_back(file.bytes.view(), query).payloads, ElementsAre("2", "1"));
}

TEST(McapReader, RefusesWhatIsNoMcap) {
  EXPECT_EQ(mcap_format().matches(input_of(as_bytes("#ROSBAG V2.0\n"))), 0);
  EXPECT_EQ(mcap_format().matches(input_of(as_bytes(kMagic))), 100);
  EXPECT_GT(mcap_format().matches(input_of(as_bytes(kMagic.substr(0, 3)))), 0);
  EXPECT_EQ(thrown_by([] {
              mcap_format().open(input_of(as_bytes(kMagic.substr(0, 3))), {}, Session(Registry()));
            }).code(),
            ErrorCode::truncated);
}

}  // namespace
}  // namespace kitbag::mcap
