#include "live/record/file_names.h"

#include <gtest/gtest.h>

#include <utility>

#include "kitbag/open.h"
#include "kitbag/text.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/thrown_by.h"

namespace kitbag {
namespace {

class FileNamesTest : public ::testing::Test {
 protected:
  FileNames names(const std::string& path, bool is_split = false, const std::string& format = {},
                  bool may_replace = false) const {
    RecordTarget target;
    target.path = path;
    target.write.may_replace = may_replace;
    target.write.format = format;
    if (is_split) target.split.messages = 1;
    return FileNames(target, false, session_);
  }

  FileId begun() const { return local_file_system()->status(folder_.path("x.bag.active"))->id; }
  std::string complete(const FileId& written, bool may_replace = false) const {
    return names(folder_.path("x.bag"), false, {}, may_replace)
        .complete(folder_.path("x.bag"), written);
  }

  Session session_;
  TemporaryFolder folder_;
  Time now_ = parse_time("2026-11-20T14:30:05.7Z").resolve({}, {});
};

TEST_F(FileNamesTest, WithoutAPathATimeIsTheName) {
  EXPECT_EQ(names("").next(now_), "2026-11-20_14-30-05.mcap");
  EXPECT_EQ(names("", true, "rosbag").next(now_), "2026-11-20_14-30-05.bag");
  EXPECT_EQ(names("").folder(), ".");
}

TEST_F(FileNamesTest, AnExtensionTellsTheFormat) {
  auto bag = names(folder_.path("x.bag"));
  EXPECT_EQ(bag.format(), "rosbag");
  EXPECT_EQ(bag.next(now_), folder_.path("x.bag"));
  EXPECT_EQ(bag.folder(), folder_.path());
}

TEST_F(FileNamesTest, WithoutOneTheFormatGivesIt) {
  EXPECT_EQ(names(folder_.path("x")).next(now_), folder_.path("x.mcap"));
  EXPECT_EQ(names(folder_.path("x"), false, "sqlite3").next(now_), folder_.path("x.db3"));
}

TEST_F(FileNamesTest, ASplitNumbersThem) {
  auto split = names(folder_.path("x.bag"), true);
  EXPECT_EQ(split.next(now_), folder_.path("x_0.bag"));
  EXPECT_EQ(split.next(now_), folder_.path("x_1.bag"));
}

TEST_F(FileNamesTest, WhereOldFilesAreDeletedNumbersGoOnFromTheHighest) {
  for (const char* name : {"x_4.bag", "x_11.bag", "x_12.bag.active", "x_30.mcap", "y_40.bag"}) {
    folder_.write(name, "a");
  }
  RecordTarget target;
  target.path = folder_.path("x.bag");
  target.write.may_replace = false;
  target.split.messages = 1;
  EXPECT_EQ(FileNames(target, false, session_).next(now_), folder_.path("x_0.bag"));
  target.keep.files = 3;
  EXPECT_EQ(FileNames(target, false, session_).next(now_), folder_.path("x_13.bag"));
  target.keep = {};
  target.min_free_bytes = 1;
  EXPECT_EQ(FileNames(target, false, session_).next(now_), folder_.path("x_13.bag"));
  target.write.may_replace = true;
  EXPECT_EQ(FileNames(target, false, session_).next(now_), folder_.path("x_0.bag"));
  folder_.write("x_99999999999999999999999.bag", "a");
  target.write.may_replace = false;
  EXPECT_EQ(FileNames(target, false, session_).next(now_), folder_.path("x_13.bag"));
}

TEST_F(FileNamesTest, SoDoSnapshots) {
  RecordTarget target;
  target.path = folder_.path("x");
  FileNames names(target, true, session_);
  EXPECT_EQ(names.next(now_), folder_.path("x_0.mcap"));
  EXPECT_EQ(names.next(now_), folder_.path("x_1.mcap"));
}

TEST_F(FileNamesTest, ASplitWithoutAnExtensionIsADirectory) {
  auto split = names(folder_.path("x"), true, "sqlite3");
  EXPECT_TRUE(split.is_directory());
  EXPECT_EQ(split.path(), folder_.path("x/"));
  EXPECT_EQ(split.format(), "sqlite3");
  EXPECT_EQ(split.folder(), folder_.path());
  EXPECT_TRUE(names(folder_.path("y/")).is_directory());
}

TEST_F(FileNamesTest, NothingIsReplaced) {
  folder_.write("x.bag", "");
  folder_.write("y.bag.active", "recorded");
  for (auto [name, code] : {std::pair("x.bag", ErrorCode::exists), {"y.bag", ErrorCode::invalid}}) {
    auto taken = names(folder_.path(name));
    EXPECT_EQ(test::thrown_by([&] { taken.next(now_); }).code(), code) << name;
  }
}

TEST_F(FileNamesTest, WhatARecorderLeftThatHadWrittenNothingIsRemovedAndTold) {
  folder_.write("x.bag.active", "");
  std::vector<std::string> reported;
  auto next = names(folder_.path("x.bag"));
  EXPECT_EQ(next.next(now_, [&](const Error& warning) { reported.push_back(warning.file()); }),
            folder_.path("x.bag"));
  EXPECT_EQ(reported, std::vector{folder_.path("x.bag.active")});
  EXPECT_TRUE(folder_.names().empty());
}

TEST_F(FileNamesTest, AFileThatIsStillBeingWrittenStays) {
  auto writing = local_file_system()->create(folder_.path("x.bag.active"), {.is_visible = true});
  auto taken = names(folder_.path("x.bag"));
  EXPECT_EQ(test::thrown_by([&] { taken.next(now_); }).code(), ErrorCode::invalid);
}

TEST_F(FileNamesTest, AFileThatAnotherProgramHasReplacedKeepsItsName) {
  folder_.write("x.bag.active", "mine");
  FileId mine = begun();
  folder_.write("other", "another's");
  std::filesystem::rename(folder_.path("other"), folder_.path("x.bag.active"));
  EXPECT_EQ(test::thrown_by([&] { complete(mine); }).code(), ErrorCode::busy);
  EXPECT_EQ(folder_.read("x.bag.active"), "another's");
}

TEST_F(FileNamesTest, AWholeFileReplacesAnotherOnlyWhereItMay) {
  folder_.write("x.bag", "old");
  folder_.write("x.bag.active", "new");
  EXPECT_EQ(complete(begun(), true), folder_.path("x.bag"));
  EXPECT_EQ(folder_.read("x.bag"), "new");
}

TEST_F(FileNamesTest, AWholeFileGetsItsNameOrOneBesideIt) {
  folder_.write("x.bag.active", "mine");
  EXPECT_EQ(complete(begun()), folder_.path("x.bag"));
  folder_.write("x_1.bag.active", "");
  folder_.write("x.bag.active", "the next");
  EXPECT_EQ(complete(begun()), folder_.path("x_2.bag"));
  EXPECT_EQ(test::thrown_by([&] { complete({}); }).code(), ErrorCode::io);
}

TEST_F(FileNamesTest, KnowsItsOwn) {
  auto timed = names("");
  EXPECT_TRUE(timed.is_like("2026-11-20_14-30-05.mcap"));
  EXPECT_TRUE(timed.is_like("2026-11-20_14-30-05_12.mcap"));
  EXPECT_FALSE(timed.is_like("2026-11-20_14-30-05.bag"));
  EXPECT_FALSE(timed.is_like("2026-11-20_14-30-05.mcap.active"));
  EXPECT_FALSE(timed.is_like("2026-11-20_14-30-05_x.mcap"));
  EXPECT_FALSE(timed.is_like("calibration.mcap"));
  auto split = names("run.bag", true);
  EXPECT_TRUE(split.is_like("run_3.bag"));
  EXPECT_FALSE(split.is_like("run.bag"));
  EXPECT_FALSE(split.is_like("running_3.bag"));
  EXPECT_FALSE(split.is_like("run_3.mcap"));
}

TEST_F(FileNamesTest, ARecordingGoesOnPastWhatItMayNotReplace) {
  folder_.write("x_1.bag", "old");
  std::filesystem::create_directory(folder_.path("x_2.bag"));
  folder_.write("x_3.bag.active", "another's");
  auto split = names(folder_.path("x.bag"), true, {}, true);
  for (const char* name : {"x_0.bag", "x_1.bag", "x_4.bag"}) {
    EXPECT_EQ(split.next(now_), folder_.path(name));
  }
}

TEST_F(FileNamesTest, StandardOutputIsNoFile) {
  EXPECT_EQ(test::thrown_by([&] { names("-"); }).code(), ErrorCode::invalid);
  EXPECT_EQ(test::thrown_by([&] { names("x", false, "tar"); }).code(), ErrorCode::invalid);
}

}  // namespace
}  // namespace kitbag
