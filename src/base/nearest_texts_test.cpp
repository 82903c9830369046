#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kitbag/text.h"

namespace kitbag {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(NearestTexts, TheNearestComeFirst) {
  std::vector<std::string> known = {"record", "repair", "recover", "cat"};
  EXPECT_THAT(nearest_texts("recrod", known, 1), ElementsAre("record"));
  EXPECT_THAT(nearest_texts("recodr", known, 2), ElementsAre("record", "recover"));
}

TEST(NearestTexts, CaseIsNearlyTheSame) {
  EXPECT_THAT(nearest_texts("/Odom", {"/odom"}, 3), ElementsAre("/odom"));
}

TEST(NearestTexts, TheEndOfAPathAndTheBeginningOfAWordAreNear) {
  EXPECT_THAT(nearest_texts("image_raw", {"/front/camera/image_raw"}, 3),
              ElementsAre("/front/camera/image_raw"));
  EXPECT_THAT(nearest_texts("comp", {"compression", "chunk-size"}, 3), ElementsAre("compression"));
}

TEST(DescribeKnown, NamesWhatIsSimilarAndWhatThereIs) {
  EXPECT_EQ(describe_known({"/odomm"}, "topics", {"/tick", "/odom", "/tick"}),
            "; similar: /odom; available topics: /odom, /tick");
  EXPECT_EQ(describe_known({"/odomm", "/tic", "/odo"}, "topics", {"/tick", "/odom"}),
            "; similar: /odom, /tick; available topics: /odom, /tick");
  EXPECT_EQ(describe_known({"x"}, "types", {"far/Away"}), "; available types: far/Away");
  EXPECT_EQ(describe_known({"x"}, "topics", {}), "");
  std::vector<std::string> many;
  for (char c = 'a'; c <= 'l'; ++c) many.push_back("/topic/" + std::string(5, c));
  std::string text = describe_known({"x"}, "topics", many);
  EXPECT_TRUE(text.ends_with(", /topic/jjjjj and 2 more")) << text;
}

TEST(NearestTexts, WhatHasNothingInCommonIsNotNear) {
  EXPECT_THAT(nearest_texts("x", {"du", "by", "cat"}, 3), IsEmpty());
  EXPECT_THAT(nearest_texts("frobnicate", {"find", "filter"}, 3), IsEmpty());
  EXPECT_THAT(nearest_texts("", {"a"}, 3), IsEmpty());
}

}  // namespace
}  // namespace kitbag
