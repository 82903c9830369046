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

OldBag bag_v1_0(const std::string& first, const std::string& second) {
  OldBag bag;
  bag.text("#ROSLOG V1.0\n0002\n");
  bag.text("chatter\n" + first + "\n" + second + "\n");
  bag.text("a/chatter\n" + first + "\n" + second + "\n");
  for (std::uint32_t i = 0; i < 6; ++i) {
    bag.text(i % 2 == 0 ? "chatter\n" : "a/chatter\n").message(i, 7, "m" + std::to_string(i));
  }
  return bag;
}

TEST(V1_0, HasATableOfTopics) {
  OldBag bag = bag_v1_0(kStringMd5, "std_msgs/String");
  BagPtr opened = bag.open_strictly();
  EXPECT_EQ(opened->summary().version, "1.0");
  EXPECT_EQ(opened->summary().certainty, 100);
  EXPECT_EQ(to_ns(opened->summary().start), 7) << "times count from the recorder's start";
  EXPECT_THAT(lines_in_file_order(*opened),
              ElementsAre("chatter 0.7 m0", "a/chatter 1.7 m1", "chatter 2.7 m2",
                          "a/chatter 3.7 m3", "chatter 4.7 m4", "a/chatter 5.7 m5"));
  EXPECT_THAT(bag.findings(), IsEmpty());
}

TEST(V1_0, TellsTypeAndMd5sumApartInEitherOrder) {
  auto said = [](const std::string& first, const std::string& second) {
    BagPtr opened = bag_v1_0(first, second).open_strictly();
    const Channel& channel = *opened->summary().channels->front();
    return channel.metadata.at("md5sum") + " " + channel.type();
  };
  std::string both = std::string(kStringMd5) + " std_msgs/String";
  EXPECT_EQ(said(kStringMd5, "std_msgs/String"), both);
  EXPECT_EQ(said("std_msgs/String", kStringMd5), both);
  EXPECT_EQ(said("*", "std_msgs/String"), "* std_msgs/String");
  EXPECT_EQ(said("std_msgs/String", "*"), "* std_msgs/String");
  EXPECT_EQ(said("*", kStringMd5), std::string(kStringMd5) + " *");
  EXPECT_EQ(said(kStringMd5, "*"), std::string(kStringMd5) + " *");
  EXPECT_EQ(said("String", "*"), "* String");
  EXPECT_EQ(said("*", "*"), "* *");
}

TEST(V1_0, DeclaresTopicsWithoutMessages) {
  OldBag bag;
  bag.text("#ROSLOG V1.0\n0002\na\n*\n*\nb\n*\n*\n").text("b\n").message(1, 0, "x");
  BagPtr opened = bag.open_strictly();
  const Summary& summary = opened->summary();
  ASSERT_EQ(summary.channels->size(), 2U);
  EXPECT_EQ((*summary.channels)[0]->topic, "b");
  EXPECT_EQ((*summary.channels)[1]->topic, "a");
  EXPECT_THAT(summary.message_counts, ElementsAre(1, 0));
}

TEST(V1_0, GoesOnBehindDamageWithTheRightTopic) {
  OldBag bag = bag_v1_0("*", "*");
  std::string_view text = as_text(bag.bytes.view());
  std::size_t fourth = text.find("a/chatter\n", text.find("m2"));
  bag.bytes.data()[fourth] = std::byte{'?'};
  BagPtr opened = bag.open();
  EXPECT_THAT(lines_in_file_order(*opened),
              ElementsAre("chatter 0.7 m0", "a/chatter 1.7 m1", "chatter 2.7 m2", "chatter 3.7 m3",
                          "chatter 4.7 m4", "a/chatter 5.7 m5"))
      << "without its begin, a/chatter is a topic too";
  EXPECT_THAT(bag.problems, ElementsAre(HasSubstr("2 bytes are left out")));
}

TEST(V1_0, WithADamagedTableIsRefused) {
  auto error = [](std::string_view text) {
    return thrown_by([&] { OldBag().text(text).open_strictly(); });
  };
  EXPECT_EQ(error("#ROSLOG V1.0\n").code(), ErrorCode::truncated);
  EXPECT_EQ(error("#ROSLOG V1.0\n00x2\n").code(), ErrorCode::corrupt);
  EXPECT_EQ(error("#ROSLOG V1.0\n0001\ntopic\n*\n").code(), ErrorCode::truncated);
  EXPECT_EQ(error("#ROSLOG V1.0\n0001\nto\1pic\n*\n*\n").offset(), 18U);
  EXPECT_THAT(error("#ROSLOG V1").what(), HasSubstr("the file ends within its first line"));
}

TEST(V1_0, WithoutTopicsIsEmpty) {
  OldBag bag;
  bag.text("#ROSLOG V1.0\n0000\n");
  EXPECT_EQ(bag.open_strictly()->summary().messages, 0U);
}

}  // namespace
}  // namespace kitbag::rosbag
