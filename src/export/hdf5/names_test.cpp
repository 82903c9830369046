#include "export/hdf5/names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/thrown_by.h"

namespace kitbag::hdf5 {
namespace {

using ::testing::ElementsAre;

TEST(Hdf5Names, LinksAreSafe) {
  EXPECT_EQ(link_name("x"), "x");
  EXPECT_EQ(link_name("a.b"), "a.b");
  EXPECT_EQ(link_name("."), "%2E");
  EXPECT_EQ(link_name("a/b\n"), "a%2Fb%0A");
  EXPECT_EQ(link_name(""), "_");
  EXPECT_EQ(link_name("\xff"), "\xEF\xBF\xBD");
}

TEST(Hdf5Names, ATakenNameGetsAnUnderscore) {
  Names names;
  EXPECT_EQ(names.take("x"), "x");
  EXPECT_EQ(names.take("x"), "x_");
  EXPECT_EQ(names.take("x"), "x__");
}

TEST(Hdf5Names, FieldsAndTopicsInOneGroupDoNotMeet) {
  TopicGroups groups;
  groups.announce("/a");
  groups.announce("/a/pose");
  EXPECT_EQ(groups.names_in("/a").take("pose"), "pose_");
  EXPECT_THAT(groups.groups_of("/a/pose"), ElementsAre("a", "pose"));
  // Those that come later give way.
  EXPECT_EQ(groups.names_in("/a").take("twist"), "twist");
  EXPECT_THAT(groups.groups_of("/a/twist/x"), ElementsAre("a", "twist_", "x"));
  EXPECT_THAT(groups.groups_of("a//pose/"), ElementsAre("a", "pose__"));
  EXPECT_THAT(groups.groups_of("/"), ElementsAre("topic"));
}

TEST(Hdf5Names, ATopicThatIsTooDeepIsRefused) {
  TopicGroups groups;
  std::string deep;
  for (int i = 0; i < 60; ++i) deep += "/a";
  EXPECT_ERROR(invalid, groups.groups_of(deep));
  EXPECT_ERROR(invalid, groups.groups_of("/" + std::string(2000, 'a')));
}

}  // namespace
}  // namespace kitbag::hdf5
