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

OldBag& add_v1_1(OldBag& bag, const std::string& topic, std::uint32_t sec,
                 const std::string& data) {
  return bag.text(topic + "\n" + kStringMd5 + "\nstd_msgs/String\n").message(sec, 1, data);
}

OldBag bag_v1_1(std::string_view line = "#ROSRECORD V1.1\n") {
  OldBag bag;
  bag.text(line);
  for (std::uint32_t i = 0; i < 6; ++i) {
    add_v1_1(bag, i % 2 == 0 ? "/one" : "two", i, "m" + std::to_string(i));
  }
  return bag;
}

TEST(V1_1, HasTwoFirstLines) {
  for (std::string_view line : {"#ROSRECORD V1.1\n", "#ROSLOG V1.1\n"}) {
    OldBag bag = bag_v1_1(line);
    BagPtr opened = bag.open_strictly();
    EXPECT_EQ(opened->summary().version, "1.1");
    EXPECT_THAT(lines_in_file_order(*opened),
                ElementsAre("/one 0.1 m0", "two 1.1 m1", "/one 2.1 m2", "two 3.1 m3", "/one 4.1 m4",
                            "two 5.1 m5"));
    EXPECT_THAT(bag.findings(), IsEmpty());
  }
}

TEST(V1_1, TellsChannelsApartByTopicMd5sumAndType) {
  OldBag bag;
  bag.text("#ROSLOG V1.1\n");
  for (int i = 0; i < 2; ++i) {
    bag.text("/t\n*\n*\n").message(1, 0, "a");
    bag.text("/t\n*\nstd_msgs/String\n").message(1, 0, "b");
    bag.text("/t\n").text(kStringMd5).text("\nstd_msgs/String\n").message(1, 0, "c");
  }
  BagPtr opened = bag.open_strictly();
  EXPECT_THAT(opened->summary().message_counts, ElementsAre(2, 2, 2));
  EXPECT_EQ((*opened->summary().channels)[0]->type(), "*");
}

TEST(V1_1, ReadsManyTopics) {
  OldBag bag;
  bag.text("#ROSRECORD V1.1\n");
  for (std::uint32_t i = 0; i < 600; ++i) {
    add_v1_1(bag, "/topic" + std::to_string(i % 200), i, std::to_string(i));
  }
  BagPtr opened = bag.open_strictly();
  EXPECT_EQ(opened->summary().channels->size(), 200U);
  EXPECT_THAT(opened->summary().message_counts, ::testing::Each(3U));
  auto lines = lines_in_file_order(*opened);
  EXPECT_EQ(lines[150], "/topic150 150.1 150");
  EXPECT_EQ(lines[599], "/topic199 599.1 599");
}

TEST(V1_1, FindsKnownTopicsBehindTextThatLooksLikePartOfThem) {
  OldBag bag;
  bag.text("#ROSRECORD V1.1\n");
  add_v1_1(bag, "/one", 1, "first");
  bag.text("/two\nno md5sum\n*\n").message(2, 0, "ends like a name");
  add_v1_1(bag, "/one", 3, "third");
  BagPtr opened = bag.open();
  EXPECT_THAT(lines_in_file_order(*opened), ElementsAre("/one 1.1 first", "/one 3.1 third"));
  EXPECT_THAT(bag.problems, ElementsAre(HasSubstr("no complete record begins here")));
}

TEST(V1_1, GuessesWhereATopicBeginsThatItDoesNotKnow) {
  for (auto [in_front, topic, found] :
       {std::tuple("data 17", "/new/topic", "/new/topic"),
        std::tuple("\1\2\3", "relative", "relative"), std::tuple("12", "relative", "relative")}) {
    OldBag bag;
    bag.text("#ROSRECORD V1.1\n\n\n").text(in_front);
    add_v1_1(bag, topic, 1, "x");
    add_v1_1(bag, topic, 2, "y");
    BagPtr opened = bag.open();
    ASSERT_EQ(opened->summary().channels->size(), 1U);
    EXPECT_EQ(opened->summary().channels->front()->topic, found);
    EXPECT_EQ(opened->summary().messages, 2U);
  }
}

/// A length leads past two messages and into the text of a third one, right in front of a topic.
TEST(V1_1, MessagesSwallowedByADamagedLengthComeBack) {
  OldBag bag;
  bag.text("#ROSRECORD V1.1\n");
  std::vector<std::size_t> begins;
  for (std::uint32_t i = 0; i < 7; ++i) {
    begins.push_back(bag.bytes.size());
    add_v1_1(bag, i % 2 == 0 ? "/one" : "two", i, "a text");
  }
  std::size_t payload = begins[3] - std::string_view("a text").size();
  store_le(bag.bytes.data() + payload - 4, static_cast<std::uint32_t>(begins[6] - 1 - payload));
  EXPECT_THAT(lines_in_file_order(*bag.open()),
              ElementsAre("/one 0.1 a text", "two 1.1 a text", "two 3.1 a text", "/one 4.1 a text",
                          "two 5.1 a text", "/one 6.1 a text"));
  EXPECT_THAT(bag.problems, ElementsAre(HasSubstr("at byte " + std::to_string(begins[2]) +
                                                  ": the length of the record here is damaged")));
}

TEST(V1_1, ABagInsideAPayloadIsNothingButAPayload) {
  OldBag bag;
  bag.text("#ROSRECORD V1.1\n");
  add_v1_1(bag, "/file", 1, std::string(as_text(bag_v1_1().bytes.view())));
  add_v1_1(bag, "/new", 2, "x");
  add_v1_1(bag, "/one", 3, "y");
  BagPtr opened = bag.open_strictly();
  EXPECT_EQ(opened->summary().messages, 3U);
  EXPECT_EQ(opened->summary().channels->size(), 3U);
}

TEST(V1_1, TimesOutOfOrderAreFoundByCheck) {
  OldBag bag;
  bag.text("#ROSRECORD V1.1\n");
  add_v1_1(bag, "/one", 9, "late");
  std::size_t second = bag.bytes.size();
  add_v1_1(bag, "/one", 3, "early");
  add_v1_1(bag, "/one", 4, "early");
  EXPECT_THAT(bag.findings(),
              ElementsAre(HasSubstr("at byte " + std::to_string(second) +
                                    ": 2 messages come after later ones, the first at "
                                    "1970-01-01T00:00:03")));
  auto in_order = bag.open_strictly()->read();
  Batch batch;
  ASSERT_TRUE(in_order->read(batch, {}));
  EXPECT_EQ(as_text(batch.messages()[0].data), "early");
}

TEST(V1_1, EmptyMessagesAtTheBeginOfTimeAreMessages) {
  OldBag bag;
  bag.text("#ROSRECORD V1.1\n/t\n*\n*\n").message(0, 0, "").text("/t\n*\n*\n").message(0, 0, "");
  EXPECT_EQ(bag.open_strictly()->summary().messages, 2U);
}

TEST(V1_1, EndsInsideItsFirstLine) {
  OldBag bag;
  bag.text("#ROSLOG V1.1");
  EXPECT_EQ(thrown_by([&] { bag.open_strictly(); }).code(), ErrorCode::truncated);
}

}  // namespace
}  // namespace kitbag::rosbag
