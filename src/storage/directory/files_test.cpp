#include "storage/directory/files.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "tests/support/temporary_folder.h"
#include "tests/support/thrown_by.h"

namespace kitbag::directory {
namespace {

namespace fs = std::filesystem;

/// run/run_0.db3, and another.db3 outside.
class ListedMembers : public ::testing::Test {
 protected:
  ListedMembers() {
    fs::create_directory(folder_.path("run"));
    folder_.write("run/run_0.db3", "x");
    folder_.write("other.db3", "x");
  }

  std::vector<Member> members(const std::string& reported, bool allow_outside) {
    rosbag2::BagMetadata metadata;
    metadata.paths = {reported};
    return listed_members(*local_file_system(), folder_.path("run"), metadata, on_problem_,
                          allow_outside, is_stale_, unlisted_);
  }

  TemporaryFolder folder_;
  OnProblem on_problem_;
  bool is_stale_ = false;
  std::size_t unlisted_ = 0;
};

TEST_F(ListedMembers, FilesThatWereNotListedInTimeAreEachFoundOnce) {
  folder_.write("run/run_1.db3", "x");
  folder_.write("run/run_1.db3.zstd", "x, compressed");
  folder_.write("run/run_2.db3", "x");
  folder_.write("run/.run_3.db3.0123abcd.part", "x");
  auto found = members("run_0.db3", false);
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[1].path, folder_.path("run/run_1.db3"));
  EXPECT_EQ(found[2].path, folder_.path("run/run_2.db3"));
  EXPECT_EQ(unlisted_, 2U);
  EXPECT_FALSE(is_stale_);
}

TEST_F(ListedMembers, FormsOfAllReleasesAreFound) {
  for (const std::string& reported :
       {std::string("run_0.db3"), std::string("run/run_0.db3"), std::string("./run_0.db3"),
        std::string("old_name/run_0.db3"), std::string("/data/robot/run/run_0.db3"),
        std::string("../run/run_0.db3"), folder_.path("run/run_0.db3")}) {
    auto found = members(reported, false);
    ASSERT_EQ(found.size(), 1U) << reported;
    EXPECT_EQ(fs::path(found[0].path).lexically_normal(), folder_.path("run/run_0.db3"))
        << reported;
  }
}

TEST_F(ListedMembers, WhatLiesOutsideIsRefusedUnlessItIsAllowed) {
  for (const std::string& reported :
       {std::string("../other.db3"), folder_.path("other.db3"), std::string("x/../../other.db3")}) {
    fs::create_directories(folder_.path("run/x"));
    Error error = test::thrown_by([&] { members(reported, false); });
    EXPECT_EQ(error.code(), ErrorCode::invalid) << reported;
    EXPECT_FALSE(is_damage(error.code()));
    auto found = members(reported, true);
    ASSERT_EQ(found.size(), 1U) << reported;
    EXPECT_TRUE(fs::equivalent(found[0].path, folder_.path("other.db3"))) << reported;
  }
}

TEST_F(ListedMembers, WhatLiesOutsideAndIsNotThereIsMissing) {
  int problems = 0;
  on_problem_ = [&](const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::corrupt);
    ++problems;
  };
  EXPECT_TRUE(members("../gone.db3", false).empty());
  EXPECT_EQ(problems, 1);
  EXPECT_TRUE(is_stale_);
}

}  // namespace
}  // namespace kitbag::directory
