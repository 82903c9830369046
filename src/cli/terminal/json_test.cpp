#include "cli/terminal/json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kitbag::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

Channel chatter() {
  return {"/chat\"ter",
          "ros1",
          std::make_shared<const Schema>(Schema{"pkg/T", "ros1msg", ""}),
          {{"callerid", "/a\xff"}, {"latching", "1"}},
          0};
}

BagInfo chatter_info() {
  BagInfo info{"a.bag", {}, "lz4", 2.5, {{std::make_shared<const Channel>(chatter()), 3}}};
  info.summary.format = "rosbag";
  info.summary.start = from_ns(10);
  info.summary.end = from_ns(25);
  return info;
}

TEST(InfoJson, IsAnObjectForOneBagAndAnArrayForSeveral) {
  std::vector<BagInfo> infos = {chatter_info()};
  EXPECT_THAT(info_json(infos), StartsWith("{"));
  infos.push_back(chatter_info());
  EXPECT_THAT(info_json(infos), StartsWith("["));
}

TEST(InfoJson, HoldsWhatTheBagHolds) {
  std::vector<BagInfo> infos = {chatter_info()};
  std::string json = info_json(infos);
  EXPECT_THAT(json, HasSubstr("\"start_ns\": 10,"));
  EXPECT_THAT(json, HasSubstr("\"duration_ns\": 15,"));
  EXPECT_THAT(json, HasSubstr("\"compression_ratio\": 2.5,"));
  EXPECT_THAT(json, HasSubstr("\"latched\": true,"));
  EXPECT_THAT(json, HasSubstr("\"callerid\": \"/a\xef\xbf\xbd\""));
}

}  // namespace
}  // namespace kitbag::cli
