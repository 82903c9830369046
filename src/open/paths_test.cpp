#include "kitbag/paths.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kitbag/bag_folder.h"
#include "kitbag/open.h"
#include "kitbag/registry.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/thrown_by.h"

namespace kitbag {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class Paths : public testing::Test {
 protected:
  Paths() {
    for (const char* name :
         {"a.bag", "b.mcap", "day/c.bag", "day/in/d.bag", "day/.e.bag", "[x].bag"}) {
      files_->create(std::string("memory://runs/") + name, {})->commit();
    }
  }

  static Registry registry(const FileSystemPtr& files) {
    Registry registry = standard_registry();
    registry.file_systems = {files};
    return registry;
  }

  std::vector<std::string> matching(const std::string& glob) const {
    std::vector<std::string> paths;
    for (const FoundPath& found : matching_paths("memory://runs/" + glob, session_)) {
      paths.push_back(found.path.substr(14) + (found.status.is_folder ? "/" : ""));
    }
    return paths;
  }

  FileSystemPtr files_ = memory_file_system();
  Session session_{registry(files_)};
};

TEST_F(Paths, APartOfAGlobIsNoMoreThanAName) {
  EXPECT_THAT(matching("*.bag"), ElementsAre("[x].bag", "a.bag"));
  EXPECT_THAT(matching("?.*"), ElementsAre("a.bag", "b.mcap"));
  EXPECT_THAT(matching("*/*"), ElementsAre("day/c.bag", "day/in/"));
  EXPECT_THAT(matching("*/"), ElementsAre("day/"));
  EXPECT_THAT(matching("day/.*"), ElementsAre("day/.e.bag"));
  EXPECT_THAT(matching("d*/in/d.bag"), ElementsAre("day/in/d.bag"));
  EXPECT_THAT(matching("a.bag/*"), IsEmpty());
  EXPECT_THAT(matching("none/*"), IsEmpty());
}

TEST_F(Paths, TwoStarsAreAnyFolders) {
  EXPECT_THAT(matching("**/*.bag"), ElementsAre("[x].bag", "a.bag", "day/c.bag", "day/in/d.bag"));
  EXPECT_THAT(matching("**/in/*"), ElementsAre("day/in/d.bag"));
  EXPECT_THAT(matching("day/**"), ElementsAre("day/c.bag", "day/in/", "day/in/d.bag"));
  EXPECT_THAT(matching("**/**/d.bag"), ElementsAre("day/in/d.bag"));
}

TEST_F(Paths, AFileOfThisNameIsNoGlob) {
  EXPECT_FALSE(is_path_glob("memory://runs/[x].bag", session_));
  EXPECT_TRUE(is_path_glob("memory://runs/[y].bag", session_));
  EXPECT_FALSE(is_path_glob("demo://?seconds=5", session_));
  EXPECT_FALSE(is_path_glob("-", session_));
  EXPECT_THAT(expanded_paths({"b", "memory://runs/?.bag", "a"}, session_),
              ElementsAre("b", "memory://runs/a.bag", "a"));
  EXPECT_ERROR(not_found, expanded_paths({"memory://runs/*.db3"}, session_));
}

TEST_F(Paths, ListsEndOnRequest) {
  std::stop_source stop;
  stop.request_stop();
  EXPECT_ERROR(cancelled, list_files("memory://runs", true, session_, stop.get_token()));
  EXPECT_ERROR(cancelled, matching_paths("memory://runs/*", session_, stop.get_token()));
  EXPECT_ERROR(cancelled, matching_paths("memory://runs/**", session_, stop.get_token()));
  EXPECT_EQ(list_files("memory://runs", true, session_).size(), 5U);
}

TEST_F(Paths, BagsThatAreKnownAreNotLookedInto) {
  files_->create("memory://runs/day/recorded", {})->commit();
  std::vector<std::string> asked;
  auto is_known = [&](const std::string& path, const FileStatus& status) {
    EXPECT_TRUE(status.is_regular) << path;
    asked.push_back(path);
    return path.ends_with("recorded");
  };
  std::vector<FoundPath> bags = bags_below("memory://runs", session_, is_known);
  ASSERT_EQ(bags.size(), 6U);
  EXPECT_EQ(bags[5].path, "memory://runs/day/recorded");
  EXPECT_TRUE(bags[5].status.is_regular);
  EXPECT_EQ(asked.size(), 6U);  // all but the hidden one
  EXPECT_EQ(bags_below("memory://runs", session_).size(), 5U);
}

TEST_F(Paths, WhatHasTheNameOfABagIsOne) {
  auto write = [&](const std::string& name, std::string_view bytes) {
    auto file = files_->create("memory://other/" + name, {});
    file->append(as_bytes(bytes));
    file->commit();
  };
  for (const char* name : {"a.bag", "b.mcap", "c.db3", "d.mcap.active", "notes", "x.txt"}) {
    write(name, "bad");
  }
  for (const char* name : {"e.bag", "y.txt"}) write(name, "");
  EXPECT_THAT(bags_in("memory://other", session_),
              ElementsAre("memory://other/a.bag", "memory://other/b.mcap", "memory://other/c.db3",
                          "memory://other/d.mcap.active", "memory://other/e.bag"));
}

TEST(MakeFolders, MakesWhatIsMissing) {
  TemporaryFolder folder;
  FileSystemPtr local = local_file_system();
  for (int i = 0; i < 2; ++i) make_folders(folder.path("a/b/c/"), *local);
  EXPECT_TRUE(local->status(folder.path("a/b/c"))->is_folder);
  EXPECT_NO_THROW(make_folders("", *local));
  EXPECT_NO_THROW(make_folders("/", *local));
  folder.write("file", "");
  EXPECT_ERROR(io, make_folders(folder.path("file/in"), *local));
  FileSystemPtr memory = memory_file_system();
  make_folders("memory://a/b/", *memory);
  EXPECT_TRUE(memory->status("memory://a/b")->is_folder);
}

TEST(NameAt, IsTheLastPartWithoutParameters) {
  EXPECT_EQ(name_at("a/b.bag"), "b.bag");
  EXPECT_EQ(name_at("a/dir/"), "dir");
  EXPECT_EQ(name_at("s3://bags/x?y.bag"), "x?y.bag");
  EXPECT_EQ(name_at("s3://bags"), "bags");
  EXPECT_EQ(name_at("https://h/a/b%20c.bag?X-Amz-Signature=a/b"), "b c.bag");
  EXPECT_EQ(name_at("https://h/a%2Fb.bag"), "b.bag");
  for (const char* none :
       {"https://h", "https://h/", "https://h?x=/a", "https://h/%2e%2E", "https://h/a%00b"}) {
    EXPECT_EQ(name_at(none), "") << none;
  }
}

}  // namespace
}  // namespace kitbag
