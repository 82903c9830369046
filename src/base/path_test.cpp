#include "base/path.h"

#include <gtest/gtest.h>

namespace kitbag {
namespace {

TEST(Path, IsTakenApart) {
  EXPECT_EQ(file_name("a/b/c.bag"), "c.bag");
  EXPECT_EQ(file_name("c.bag"), "c.bag");
  EXPECT_EQ(file_name("a/b/"), "");
  EXPECT_EQ(parent_folder("a/b/c.bag"), "a/b");
  EXPECT_EQ(parent_folder("a/b/"), "a/b");
  EXPECT_EQ(parent_folder("c.bag"), "");
  EXPECT_EQ(parent_folder("/c.bag"), "/");
  EXPECT_EQ(parent_folder("memory://c.bag"), "memory://");
  EXPECT_EQ(parent_folder("memory://a/c.bag"), "memory://a");
}

TEST(Path, AnExtensionIsWhatFollowsTheLastDot) {
  EXPECT_EQ(extension("a.b/c.bag.zst"), ".zst");
  EXPECT_EQ(extension("a.b/c"), "");
  EXPECT_EQ(extension("a/.hidden"), "");
  EXPECT_EQ(extension("a/.."), "");
  EXPECT_EQ(extension("a/c."), ".");
  EXPECT_EQ(stem("a.b/c.bag.zst"), "c.bag");
  EXPECT_EQ(stem("a/.hidden"), ".hidden");
}

TEST(Path, IsJoined) {
  EXPECT_EQ(join("a", "b"), "a/b");
  EXPECT_EQ(join("a/", "b"), "a/b");
  EXPECT_EQ(join("", "b"), "b");
  EXPECT_EQ(join("a", "/b"), "/b");
  EXPECT_EQ(join("memory://", "b"), "memory://b");
}

TEST(Path, LosesSlashesAtItsEnd) {
  EXPECT_EQ(without_slash("a//"), "a");
  EXPECT_EQ(without_slash("/"), "/");
  EXPECT_EQ(without_slash("memory://"), "memory://");
  EXPECT_EQ(without_slash("memory://a/"), "memory://a");
}

}  // namespace
}  // namespace kitbag
