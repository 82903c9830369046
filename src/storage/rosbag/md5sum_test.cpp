#include "storage/rosbag/md5sum.h"

#include <gtest/gtest.h>

#include <memory>

namespace kitbag::rosbag {
namespace {

Channel channel(const char* language, const char* text) {
  auto schema = std::make_shared<Schema>(Schema{"std_msgs/String", language, text});
  return Channel{"/chatter", "ros1", schema};
}

TEST(Md5Sum, IsThatOfTheDefinitionIfTheChannelSaysNone) {
  Channel given = channel("ros1msg", "string data\n");
  EXPECT_EQ(md5sum_of(given), "992ce8a1687cec8c8bd883ec73ca41d1");
  given.metadata["md5sum"] = "00000000000000000000000000000000";
  EXPECT_EQ(md5sum_of(given), "00000000000000000000000000000000");
}

TEST(Md5Sum, IsAnyWithoutADefinitionOfRos1) {
  EXPECT_EQ(md5sum_of(Channel{"/chatter", "ros1", nullptr}), "*");
  EXPECT_EQ(md5sum_of(channel("ros1msg", "")), "*");
  EXPECT_EQ(md5sum_of(channel("ros1msg", "pkg/Missing nested\n")), "*");
  EXPECT_EQ(md5sum_of(channel("ros2msg", "string data\n")), "*");
}

}  // namespace
}  // namespace kitbag::rosbag
