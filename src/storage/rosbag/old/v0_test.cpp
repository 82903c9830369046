#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/rosbag/old/run_lines.h"
#include "storage/rosbag/old/test_bag.h"

namespace kitbag::rosbag {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

OldBag bag_v0(int messages = 3) {
  OldBag bag;
  bag.text("/chatter\n").text(kStringMd5).text("\nstd_msgs/String\n");
  for (int i = 0; i < messages; ++i) {
    bag.message(10 + static_cast<std::uint32_t>(i), 5, "m" + std::to_string(i));
  }
  return bag;
}

TEST(V0, IsOneTopicBehindThreeLines) {
  OldBag bag = bag_v0();
  BagPtr opened = bag.open_strictly();
  EXPECT_THAT(lines_in_file_order(*opened),
              ElementsAre("/chatter 10.5 m0", "/chatter 11.5 m1", "/chatter 12.5 m2"));
  const Summary& summary = opened->summary();
  EXPECT_EQ(summary.version, "0");
  EXPECT_FALSE(summary.indexed);
  EXPECT_EQ(summary.chunks, 0U);
  const Channel& channel = *summary.channels->front();
  EXPECT_EQ(channel.type(), "std_msgs/String");
  EXPECT_EQ(channel.metadata.at("md5sum"), kStringMd5);
  EXPECT_EQ(channel.schema->text, "");
  EXPECT_THAT(bag.findings(), IsEmpty());
}

TEST(V0, IsTakenForOneWithMoreOrLessCertainty) {
  EXPECT_EQ(bag_v0().open_strictly()->summary().certainty, 60);
  OldBag vague;
  vague.text("scan\n*\n*\n").message(1, 0, "x");
  EXPECT_EQ(vague.open_strictly()->summary().certainty, 20);
}

TEST(V0, IsNotSeenInOtherText) {
  auto certainty = [](const OldBag& bag) { return rosbag_format().matches(bag.input()); };
  EXPECT_EQ(certainty(bag_v0()), 60);
  EXPECT_EQ(certainty(bag_v0(0)), 60) << "no message yet";
  for (std::string_view text :
       {"one\ntwo\nthree\n", "/chatter\n992ce8a1687cec8c8bd883ec73ca41dx\nstd_msgs/String\n",
        "\n*\n*\n", "#a comment\n*\n*\n", "/chatter\n*\n", "caf\xc3\xa9\n*\nx\n"}) {
    EXPECT_EQ(certainty(OldBag().text(text)), 0) << text;
  }
  OldBag wrong_time;
  wrong_time.text("/chatter\n*\n*\n").message(1, 1'000'000'000, "x");
  EXPECT_EQ(certainty(wrong_time), 0) << "a second has fewer nanoseconds";
  OldBag damaged = bag_v0();
  std::size_t size_of_all = 3 * (kMessageHead + 2);
  std::memset(damaged.bytes.data() + damaged.bytes.size() - size_of_all, 0xff, 12);
  EXPECT_EQ(certainty(damaged), 20) << "type and md5sum say enough";
  EXPECT_EQ(damaged.open()->summary().messages, 2U);
}

TEST(V0, GoesOnBehindDamage) {
  OldBag bag = bag_v0(20);
  std::size_t size_of_last_ten = 10 * (kMessageHead + 3);
  std::size_t eleventh = bag.bytes.size() - size_of_last_ten;
  std::memset(bag.bytes.data() + eleventh + 4, 0xff, 4);  // impossible nanoseconds
  BagPtr opened = bag.open();
  EXPECT_EQ(opened->summary().messages, 19U);
  EXPECT_THAT(bag.problems, ElementsAre(HasSubstr("at byte " + std::to_string(eleventh) +
                                                  ": no complete record begins here; 15 bytes")));
  EXPECT_EQ(lines_in_file_order(*opened).back(), "/chatter 29.5 m19");
  EXPECT_EQ(bag.findings(), bag.problems);
}

TEST(V0, ALengthThatGrewIsGivenUp) {
  OldBag bag = bag_v0(10);
  std::size_t last_seven = bag.bytes.size() - 7 * (kMessageHead + 2);
  bag.bytes.data()[last_seven + 8] = std::byte{21};  // of the fourth, and half the fifth
  BagPtr opened = bag.open();
  EXPECT_EQ(opened->summary().messages, 9U);
  EXPECT_THAT(lines_in_file_order(*opened), ::testing::Contains("/chatter 14.5 m4"));
  EXPECT_THAT(bag.problems, ElementsAre(HasSubstr("the length of the record here is damaged")));
}

TEST(V0, HolesAreNoMessages) {
  OldBag bag = bag_v0(3);
  std::size_t size = bag.bytes.size();
  std::memset(bag.bytes.extend(5000), 0, 5000);
  BagPtr opened = bag.open();
  EXPECT_EQ(opened->summary().messages, 3U);
  EXPECT_THAT(bag.problems,
              ElementsAre(HasSubstr("at byte " + std::to_string(size) + ": no complete record")));
}

TEST(V0, HasItsTopicWithoutMessages) {
  BagPtr opened = bag_v0(0).open_strictly();
  ASSERT_EQ(opened->summary().channels->size(), 1U);
  EXPECT_EQ(opened->summary().channels->front()->topic, "/chatter");
  EXPECT_EQ(bag_v0(1).open_strictly()->summary().channels->size(), 1U);
}

TEST(V0, WithoutItsLinesIsRefused) {
  OldBag bag;
  bag.text("/chatter\n").text(kStringMd5);
  EXPECT_EQ(rosbag_format().matches(bag.input()), 0);
}

}  // namespace
}  // namespace kitbag::rosbag
