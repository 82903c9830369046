// Bags of 2010, as the first drafts of version 2.0 describe them (docs/formats/rosbag-2.0.md):
// chunks without compression and size, `id` for `conn`, connections in the index that say only a
// part, message definitions apart, `start` and `end` for `start_time` and `end_time`.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compress/compression.h"
#include "io/local/write_file.h"
#include "kitbag/file.h"
#include "kitbag/file_system.h"
#include "storage/rosbag/test_bag.h"
#include "tests/support/thrown_by.h"

namespace kitbag::rosbag {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kMd5 = "992ce8a1687cec8c8bd883ec73ca41d1";

/// What a draft's index says of its connection, besides `callerid` and `latching`.
struct DraftIndex {
  bool has_topic = false;
  bool has_type = false;
  bool has_definition = false;  ///< a record of its own
};

Buffer draft_connection(bool has_topic, bool has_type, bool has_text) {
  Buffer data;
  append_field(data, "callerid", "/talker");
  append_field(data, "latching", "1");
  if (has_type) {
    append_field(data, "topic", "/a");
    append_field(data, "type", "std_msgs/String");
    append_field(data, "md5sum", kMd5);
  }
  if (has_text) append_field(data, "message_definition", "string data\n");
  Buffer record;
  RecordWriter writer(record, Op::connection);
  if (has_topic) writer.field("topic", "/a");
  writer.field("id", std::uint32_t{0}).data(data.view());
  return record;
}

/// One message on /a, whose connection is described as a whole in its chunk.
TestBag draft_bag(const DraftIndex& said) {
  TestBag bag;
  Buffer message;
  RecordWriter(message, Op::message)
      .field("topic", "/a")
      .field("time", std::uint64_t{7})
      .field("conn", std::uint32_t{0})
      .data(as_bytes("hello"));
  std::vector<Buffer> records;
  records.push_back(draft_connection(true, true, true));
  records.push_back(std::move(message));
  std::uint64_t chunk = bag.chunk(records, false);
  std::uint64_t index_pos = bag.bytes.size();
  bag.append(draft_connection(said.has_topic, said.has_type, false));
  if (said.has_definition) {
    RecordWriter(bag.bytes, Op::message_definition)
        .field("topic", "/a")
        .field("type", "std_msgs/String")
        .field("md5", kMd5)
        .field("def", "string data\n")
        .data({});
  }
  Buffer counts;
  store_le(store_le(counts.extend(8), std::uint32_t{0}), std::uint32_t{1});
  RecordWriter(bag.bytes, Op::chunk_info)
      .field("ver", kIndexVersion)
      .field("chunk_pos", chunk)
      .field("start", std::uint64_t{7})
      .field("end", std::uint64_t{7})
      .field("count", std::uint32_t{1})
      .data(counts.view());
  bag.close(index_pos, 1, 1);
  return bag;
}

const std::vector<DraftIndex>& all_drafts() {
  static const std::vector<DraftIndex> drafts = {
      {false, false, true}, {false, false, false}, {true, false, false},
      {true, false, true},  {true, true, false},
  };
  return drafts;
}

void expect_whole(const Bag& bag, bool has_text = true) {
  EXPECT_THAT(lines_of(bag), ElementsAre("/a 7 hello"));
  const Channel& channel = *bag.summary().channels->at(0);
  EXPECT_EQ(channel.type(), "std_msgs/String");
  EXPECT_EQ(channel.schema->text, has_text ? "string data\n" : "");
  EXPECT_EQ(channel.metadata.at("md5sum"), kMd5);
  EXPECT_EQ(channel.metadata.at("callerid"), "/talker");
  EXPECT_TRUE(is_latched(channel));
  EXPECT_TRUE(bag.summary().indexed);
}

TEST(RosbagDrafts, AreReadWhateverTheirIndexLeavesOut) {
  for (const DraftIndex& said : all_drafts()) {
    // An index that says the type is not doubted: nothing is looked for in the chunks.
    expect_whole(*draft_bag(said).open(), !said.has_type);
  }
}

TEST(RosbagDrafts, AreReadAsAWholeByARepair) {
  for (const DraftIndex& said : all_drafts()) {
    std::vector<std::string> problems;
    ReadOptions options{.on_problem = [&](const Error& e) { problems.push_back(e.what()); },
                        .trust_index = false};
    const TestBag bag = draft_bag(said);
    auto opened = rosbag_format().open(bag.input(), options, Session(Registry()));
    expect_whole(*opened);
    EXPECT_THAT(problems, IsEmpty());
  }
}

TEST(RosbagDrafts, AreSoundToCheck) {
  for (const DraftIndex& said : all_drafts()) EXPECT_THAT(draft_bag(said).findings(), IsEmpty());
}

TEST(RosbagDrafts, AreNotAppendedToIfTheIndexLeavesOutTopicOrType) {
  std::string path = ::testing::TempDir() + "kitbag_draft_test.bag";
  for (const DraftIndex& said : all_drafts()) {
    auto file = create_file(path);
    file->append(draft_bag(said).bytes.view());
    file->commit();
    auto append = [&] { rosbag_format().append(path, {}, Session(Registry())); };
    if (said.has_type || (said.has_topic && said.has_definition)) {
      append();
    } else {
      EXPECT_THAT(test::thrown_by(append).what(), HasSubstr("convert it to a new bag first"));
    }
  }
}

TEST(RosbagDrafts, MayHaveMoreFieldsInAChunkAlsoWithoutAnIndex) {
  Buffer content;
  content.append(TestBag::connection(0, "/a").view());
  content.append(TestBag::message(0, 7, "hello").view());
  TestBag bag;
  RecordWriter(bag.bytes, Op::chunk)
      .field("compression", "none")
      .field("size", static_cast<std::uint32_t>(content.size()))
      .field("mood", "fine")
      .data(content.view());
  std::vector<std::string> problems;
  auto opened = bag.open([&](const Error& e) { problems.push_back(e.what()); });
  EXPECT_THAT(lines_of(*opened), ElementsAre("/a 7 hello"));
  EXPECT_THAT(problems, ElementsAre(HasSubstr("the bag was not closed")));
}

TEST(RosbagDrafts, GiveTheSizeOfCompressedChunksThatDoNotSayIt) {
  Buffer content;
  content.append(TestBag::connection(0, "/a").view());
  content.append(TestBag::message(0, 7, std::string(5'000, 'x')).view());
  Buffer packed;
  make_compressor("bz2")->compress(content.view(), packed);
  TestBag bag;
  RecordWriter(bag.bytes, Op::chunk).field("compression", "bz2").data(packed.view());
  auto opened = bag.open([](const Error&) {});
  ASSERT_EQ(opened->chunks().size(), 1U);
  EXPECT_EQ(opened->chunks()[0].bytes, content.size());
}

TEST(RosbagDrafts, TakeDefinitionsFromTheirOwnRecords) {
  TestBag bag;
  Buffer data;
  append_field(data, "callerid", "/talker");
  Buffer connection;
  RecordWriter(connection, Op::connection)
      .field("conn", std::uint32_t{0})
      .field("topic", "/a")
      .data(data.view());
  std::vector<Buffer> records;
  records.push_back(TestBag::message(0, 7, "hello"));
  std::uint64_t chunk = bag.chunk(records);
  std::uint64_t index_pos = bag.bytes.size();
  bag.append(connection);
  RecordWriter(bag.bytes, Op::message_definition)
      .field("topic", "/a")
      .field("type", "std_msgs/String")
      .field("md5", "*")
      .field("def", "string data\n")
      .data({});
  bag.chunk_info(chunk, 7, 7, {{0, 1}});
  bag.close(index_pos, 1, 1);
  auto opened = bag.open();
  const Channel& channel = *opened->summary().channels->at(0);
  EXPECT_EQ(channel.type(), "std_msgs/String");
  EXPECT_EQ(channel.metadata.at("md5sum"), "*");
}

}  // namespace
}  // namespace kitbag::rosbag
