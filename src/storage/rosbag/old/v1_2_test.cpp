#include "storage/rosbag/old/v1_2.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/rosbag/old/test_bag.h"
#include "tests/support/thrown_by.h"

namespace kitbag::rosbag {
namespace {

using test::thrown_by;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// As the recorders of early 2010 wrote it: no file header, no index.
OldBag early_bag() {
  OldBag bag;
  bag.text(kLine1_2);
  return bag;
}

TEST(V1_2, NeedsNeitherFileHeaderNorIndex) {
  OldBag bag = early_bag();
  bag.definition_1_2("/one", "string data\n");
  bag.message_1_2("/one", 1, "a");
  bag.message_1_2("/one", 2, "");
  BagPtr opened = bag.open_strictly();
  EXPECT_EQ(opened->summary().version, "1.2");
  EXPECT_FALSE(opened->summary().indexed);
  EXPECT_EQ(opened->summary().channels->front()->schema->text, "string data\n");
  EXPECT_THAT(lines_in_file_order(*opened), ElementsAre("/one 1.0 a", "/one 2.0 "));
  EXPECT_THAT(bag.findings(), IsEmpty());
}

TEST(V1_2, TakesFieldsOfAnyLengthAndNumber) {
  OldBag bag = early_bag();
  bag.definition_1_2("/one", "string data\n");
  bag.message_1_2("/one", 1, "a", {{std::string(100, 'n'), "long"}});
  std::map<std::string, std::string> many;
  for (int i = 0; i < 300; ++i) many["field " + std::to_string(i)] = "x";
  bag.message_1_2("/one", 2, "b", many);
  EXPECT_THAT(lines_in_file_order(*bag.open_strictly()), ElementsAre("/one 1.0 a", "/one 2.0 b"));
  EXPECT_THAT(bag.findings(), IsEmpty());
}

TEST(V1_2, TakesAFileHeaderWithTheNumberOfMessages) {
  OldBag bag = early_bag();
  bag.record(Op::message, {{"index_pos", OldBag::number(std::uint64_t{0})}},
             std::string(4066, ' '));
  bag.definition_1_2("/one", "string data\n");
  bag.message_1_2("/one", 1, "a");
  EXPECT_THAT(lines_in_file_order(*bag.open()), ElementsAre("/one 1.0 a"));
  EXPECT_THAT(bag.problems, ElementsAre(HasSubstr("the bag was not closed")));
}

TEST(V1_2, KeepsNodesAndLatchingApart) {
  OldBag bag = early_bag();
  bag.definition_1_2("/one", "string data\n");
  bag.message_1_2("/one", 1, "a", {{"callerid", "/x"}, {"latching", "1"}});
  bag.message_1_2("/one", 2, "b", {{"callerid", "/x"}});
  bag.message_1_2("/one", 3, "c", {{"callerid", "/x"}, {"latching", "0"}});
  bag.message_1_2("/one", 4, "d");
  bag.message_1_2("/one", 5, "e", {{"latching", "1"}, {"callerid", "/x"}});
  BagPtr opened = bag.open_strictly();
  const Channels& channels = *opened->summary().channels;
  ASSERT_EQ(channels.size(), 4U);
  EXPECT_THAT(opened->summary().message_counts, ElementsAre(2, 1, 1, 1));
  EXPECT_EQ(channels[0]->metadata,
            (std::map<std::string, std::string>{
                {"callerid", "/x"}, {"latching", "1"}, {"md5sum", kStringMd5}}));
  EXPECT_FALSE(channels[1]->metadata.contains("latching"));
  EXPECT_EQ(channels[2]->metadata.at("latching"), "0");
  EXPECT_FALSE(channels[3]->metadata.contains("callerid"));
  for (const ChannelPtr& channel : channels) EXPECT_EQ(channel->schema->text, "string data\n");
}

TEST(V1_2, FindsDefinitionsByTopicAndByType) {
  OldBag bag = early_bag();
  bag.definition_1_2("/one", "by the type\n");  // as the Python writer: one a type
  bag.message_1_2("/one", 1, "a");
  bag.message_1_2("/two", 1, "b");
  bag.message_1_2("/three", 1, "c", {{"type", "std_msgs/Other"}});
  BagPtr opened = bag.open_strictly();
  const Channels& channels = *opened->summary().channels;
  EXPECT_EQ(channels[1]->schema->text, "by the type\n");
  EXPECT_EQ(channels[2]->schema->text, "");
}

TEST(V1_2, DefinitionsOfOneTopicDifferByTypeAndMd5sum) {
  OldBag bag = early_bag();
  bag.definition_1_2("/one", "first\n");
  bag.record(Op::message_definition,
             {{"topic", "/one"}, {"type", "std_msgs/String"}, {"md5", "*"}, {"def", "second\n"}});
  bag.message_1_2("/one", 1, "a", {{"md5", "*"}});
  bag.message_1_2("/one", 2, "b");
  BagPtr opened = bag.open_strictly();
  EXPECT_EQ((*opened->summary().channels)[0]->schema->text, "second\n");
  EXPECT_EQ((*opened->summary().channels)[1]->schema->text, "first\n");
}

TEST(V1_2, DeclaresTopicsThatHaveADefinitionOnly) {
  OldBag bag = early_bag();
  bag.definition_1_2("/silent", "string data\n");
  bag.definition_1_2("/one", "string data\n");
  bag.message_1_2("/one", 1, "a", {{"callerid", "/x"}});
  BagPtr opened = bag.open_strictly();
  const Channels& channels = *opened->summary().channels;
  ASSERT_EQ(channels.size(), 2U);
  EXPECT_EQ(channels[0]->topic, "/one");
  EXPECT_EQ(channels[1]->topic, "/silent");
  EXPECT_EQ(channels[1]->schema->text, "string data\n");
}

TEST(V1_2, TakesFieldsInAnyOrderAndUnknownOnes) {
  OldBag bag = early_bag();
  Buffer header;
  append_field(header, "type", "std_msgs/String");
  append_field(header, "zebra", "=striped=");
  append_field(header, "sec", OldBag::number(std::uint32_t{7}));
  append_field(header, "nsec", OldBag::number(std::uint32_t{8}));
  append_field(header, "op", "\x02");
  append_field(header, "md5", "*");
  append_field(header, "topic", "/odd");
  for (int i = 0; i < 2; ++i) {
    bag.text(OldBag::number(static_cast<std::uint32_t>(header.size())));
    bag.text(as_text(header.view())).text(OldBag::number(std::uint32_t{1})).text("x");
  }
  EXPECT_THAT(lines_in_file_order(*bag.open_strictly()), ElementsAre("/odd 7.8 x", "/odd 7.8 x"));
}

TEST(V1_2, ReadsManyTopics) {
  OldBag bag = early_bag();
  for (std::uint32_t i = 0; i < 600; ++i) {
    bag.message_1_2("/topic" + std::to_string(i % 200), i, std::to_string(i));
  }
  BagPtr opened = bag.open_strictly();
  EXPECT_THAT(opened->summary().message_counts, ::testing::Each(3U));
  auto lines = lines_in_file_order(*opened);
  EXPECT_EQ(lines[150], "/topic150 150.0 150");
  EXPECT_EQ(lines[599], "/topic199 599.0 599");
}

TEST(V1_2, AMessageThatContradictsItsDefinitionIsTold) {
  OldBag bag = early_bag();
  bag.definition_1_2("/one", "string data\n");
  bag.message_1_2("/one", 1, "a");
  std::uint64_t second = bag.message_1_2("/one", 2, "b", {{"md5", "*"}});
  EXPECT_EQ(bag.open()->summary().messages, 2U);
  EXPECT_THAT(bag.problems, ElementsAre(HasSubstr("messages on /one have the type std_msgs/String "
                                                  "with the MD5 sum *, but the definition is of")));
  EXPECT_THAT(bag.findings(), ElementsAre(HasSubstr("at byte " + std::to_string(second))));
}

TEST(V1_2, MessagesThatDoNotSayWhatOrWhenAreDamage) {
  for (const char* missing : {"topic", "sec", "nsec"}) {
    OldBag bag = early_bag();
    bag.message_1_2("/one", 1, "a");
    std::map<std::string, std::string> fields = {{"topic", "/one"},
                                                 {"type", "std_msgs/String"},
                                                 {"md5", kStringMd5},
                                                 {"sec", OldBag::number(std::uint32_t{2})},
                                                 {"nsec", OldBag::number(std::uint32_t{0})}};
    fields.erase(missing);
    bag.record(Op::message, fields, "b");
    bag.message_1_2("/one", 3, "c");
    EXPECT_THAT(lines_in_file_order(*bag.open()), ElementsAre("/one 1.0 a", "/one 3.0 c"));
    EXPECT_EQ(bag.problems.size(), 1U) << missing;
  }
}

TEST(V1_2, HolesAreSteppedOver) {
  OldBag bag = early_bag();
  bag.message_1_2("/one", 1, "a");
  std::memset(bag.bytes.extend(3'000'000), 0, 3'000'000);
  bag.message_1_2("/one", 2, "b");
  bag.message_1_2("/two", 3, std::string(1'000'000, 'c'));
  EXPECT_THAT(lines_in_file_order(*bag.open()),
              ElementsAre("/one 1.0 a", "/one 2.0 b", HasSubstr("/two 3.0 c")));
  EXPECT_THAT(bag.problems, ElementsAre(HasSubstr("3000000 bytes are left out")));
}

TEST(V1_2, ABagInsideAMessageIsNotReadWhenSomethingElseIsDamaged) {
  OldBag inner = early_bag();
  for (std::uint32_t i = 0; i < 10; ++i) inner.message_1_2("/inner", i, "in");
  OldBag bag = early_bag();
  bag.message_1_2("/one", 1, as_text(inner.bytes.view()));
  bag.text("?????");
  bag.message_1_2("/one", 2, "b");
  bag.message_1_2("/one", 3, "c");
  EXPECT_EQ(bag.open()->summary().messages, 3U);
  EXPECT_EQ(bag.problems.size(), 1U);
}

TEST(V1_2, EndsInsideItsFirstLine) {
  OldBag bag;
  bag.text("#ROSRECORD V1.2");
  EXPECT_EQ(thrown_by([&] { bag.open_strictly(); }).code(), ErrorCode::truncated);
}

}  // namespace
}  // namespace kitbag::rosbag
