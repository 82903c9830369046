#include "storage/rosbag2/embedded.h"

#include <gtest/gtest.h>

#include "kitbag/error.h"
#include "storage/rosbag2/metadata.h"

namespace kitbag::rosbag2 {
namespace {

Metadata record_of(const std::string& key, const std::string& distro) {
  BagMetadata metadata;
  metadata.version = 9;
  metadata.custom_data = {{key, "x"}};
  metadata.ros_distro = distro;
  return embedded_record(print_metadata(metadata, 9, true));
}

TEST(TakenOver, GathersWhatSeveralBagsSay) {
  TakenOver taken;
  EXPECT_TRUE(taken.take(record_of("robot", "jazzy"), "a.mcap"));
  EXPECT_TRUE(taken.take(record_of("site", "humble"), "b.mcap"));
  EXPECT_EQ(taken.custom_data, (std::map<std::string, std::string>{{"robot", "x"}, {"site", "x"}}));
  EXPECT_EQ(taken.ros_distro, "jazzy");
}

TEST(TakenOver, LeavesOtherRecordsAndDamagedOnes) {
  TakenOver taken;
  EXPECT_FALSE(taken.take({"other", {{"serialized_metadata", "x"}}}, ""));
  EXPECT_FALSE(taken.take({"rosbag2", {{"another key", "x"}}}, ""));
  EXPECT_FALSE(taken.take(embedded_record("version: 77"), ""));
  EXPECT_TRUE(is_embedded(Metadata{"rosbag2", {}}));
  EXPECT_FALSE(is_embedded(Metadata{"other", {}}));
}

}  // namespace
}  // namespace kitbag::rosbag2
