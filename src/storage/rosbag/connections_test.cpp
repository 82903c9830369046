#include "storage/rosbag/connections.h"

#include <gmock/gmock.h>

namespace kitbag::rosbag {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

/// `channel` as a bag 2.0 gives it back.
Channel read_back(const Channel& channel) {
  Buffer buffer;
  append_connection(buffer, 0, channel);
  auto record = parse_record(buffer.view());
  EXPECT_TRUE(record);
  Connections connections;
  EXPECT_EQ(connections.add(*record), Connections::Added::news);
  return *connections.channels()->front();
}

Channel channel_of(std::string type, std::string md5sum) {
  Channel channel;
  channel.topic = "/a";
  channel.encoding = "ros1";
  channel.schema = std::make_shared<Schema>(Schema{std::move(type), "ros1msg", ""});
  channel.metadata = {{"md5sum", std::move(md5sum)}};
  return channel;
}

TEST(RosbagConnections, ATypeThatNobodyKnowsGetsAName) {
  Channel back = read_back(channel_of("*", "992ce8a1687cec8c8bd883ec73ca41d1"));
  EXPECT_EQ(back.type(), "unknown/Unknown");
  EXPECT_THAT(
      back.metadata,
      ElementsAre(Pair("md5sum", "*"), Pair("original_md5sum", "992ce8a1687cec8c8bd883ec73ca41d1"),
                  Pair("original_type", "*")));
  EXPECT_TRUE(same_content(read_back(back), back)) << "its old words stay";
}

TEST(RosbagConnections, ATypeWithoutAnMd5SumKeepsItsName) {
  Channel back = read_back(channel_of("std_msgs/String", "*"));
  EXPECT_EQ(back.type(), "std_msgs/String");
  EXPECT_THAT(back.metadata, ElementsAre(Pair("md5sum", "*")));
}

TEST(RosbagConnections, WithoutTypeAndDefinitionThereIsNoSchema) {
  EXPECT_FALSE(read_back(channel_of("", "*")).schema);
  EXPECT_TRUE(read_back(channel_of("std_msgs/Empty", "*")).schema);
}

}  // namespace
}  // namespace kitbag::rosbag
