#include "io/local/write_lock.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "io/local/staged_folder.h"
#include "io/local/staged_name.h"
#include "io/local/staged_set.h"
#include "io/local/write_file.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/thrown_by.h"

namespace kitbag {
namespace {

using test::thrown_by;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// Keeps the warnings that it gets.
struct Warnings {
  std::vector<std::string> told;
  OnWarning on_warning = [this](const Error& warning) { told.emplace_back(warning.what()); };
};

TEST(WriteLock, OneWriterChangesAFile) {
  TemporaryFolder folder;
  folder.write("a", "old");
  auto first = append_file(folder.path("a"));
  Error error = thrown_by([&] { append_file(folder.path("a")); });
  EXPECT_EQ(error.code(), ErrorCode::busy);
  EXPECT_THAT(error.what(),
              HasSubstr("is being written by another program; try again when it has finished"));
  first->append(as_bytes("new"));
  first->commit();
  append_file(folder.path("a"))->append(as_bytes("given up"));
  EXPECT_EQ(folder.read("a"), "oldnew");
}

TEST(WriteLock, WhatIsWrittenIntoIsNotReplaced) {
  TemporaryFolder folder;
  folder.write("a", "old");
  auto replacing = create_file(folder.path("a"));
  EXPECT_EQ(thrown_by([&] { append_file(folder.path("a")); }).code(), ErrorCode::busy);
  replacing.reset();
  auto appending = append_file(folder.path("a"));
  EXPECT_EQ(thrown_by([&] { create_file(folder.path("a")); }).code(), ErrorCode::busy);
  auto visible = create_file(folder.path("b"), {.is_visible = true});
  EXPECT_EQ(thrown_by([&] { create_file(folder.path("b")); }).code(), ErrorCode::busy);
  EXPECT_EQ(thrown_by([&] { append_file(folder.path("b")); }).code(), ErrorCode::busy);
}

TEST(WriteLock, WhatCameMeanwhileIsNotReplacedWhileItIsWrittenInto) {
  TemporaryFolder folder;
  auto replacing = create_file(folder.path("a"));
  replacing->append(as_bytes("replaced"));
  folder.write("a", "came meanwhile");
  auto appending = append_file(folder.path("a"));
  EXPECT_EQ(thrown_by([&] { replacing->commit(); }).code(), ErrorCode::busy);
  EXPECT_EQ(folder.read("a"), "came meanwhile");
}

TEST(WriteLock, ByAnotherNameItIsTheSameFile) {
  TemporaryFolder folder;
  folder.write("a", "old");
  std::filesystem::create_symlink("a", folder.path("link"));
  std::filesystem::create_hard_link(folder.path("a"), folder.path("hard"));
  auto first = append_file(folder.path("link"));
  EXPECT_EQ(thrown_by([&] { append_file(folder.path("hard")); }).code(), ErrorCode::busy);
  EXPECT_EQ(thrown_by([&] { append_file(folder.path("a")); }).code(), ErrorCode::busy);
}

TEST(WriteLock, AReaderIsNotKeptWaiting) {
  TemporaryFolder folder;
  folder.write("a", "old");
  auto first = append_file(folder.path("a"));
  EXPECT_EQ(folder.read("a"), "old");
}

// An open file that was replaced before it was locked would be written where nobody sees it.
TEST(WriteLock, AFileThatWasReplacedBeforeItWasLockedIsOpenedAgain) {
  TemporaryFolder folder;
  folder.write("a", "old");
  Descriptor opened = open_descriptor(folder.path("a"), O_RDWR);
  folder.write("b", "new");
  std::filesystem::rename(folder.path("b"), folder.path("a"));
  EXPECT_FALSE(lock_opened(opened.get(), LockKind::exclusive, folder.path("a"), {}));
  std::filesystem::remove(folder.path("a"));
  EXPECT_FALSE(lock_opened(opened.get(), LockKind::exclusive, folder.path("a"), {}));
}

TEST(WriteLock, AnAppendToWhatWasReplacedMeanwhileIsRefused) {
  TemporaryFolder folder;
  folder.write("a", "old");
  auto file = append_file(folder.path("a"));
  file->append(as_bytes("more"));
  folder.write("b", "another");
  std::filesystem::rename(folder.path("b"), folder.path("a"));
  EXPECT_EQ(thrown_by([&] { file->commit(); }).code(), ErrorCode::busy);
  EXPECT_EQ(folder.read("a"), "another");
}

TEST(WriteLock, OneWriterHasAFolder) {
  TemporaryFolder folder;
  std::filesystem::create_directory(folder.path("bag"));
  WriteLock first = WriteLock::of_folder(folder.path("bag"), {});
  EXPECT_EQ(thrown_by([&] { WriteLock::of_folder(folder.path("bag"), {}); }).code(),
            ErrorCode::busy);
  first = {};
  EXPECT_TRUE(WriteLock::of_folder(folder.path("bag"), {}));
}

TEST(WriteLock, GoesWithItsProcess) {
  TemporaryFolder folder;
  folder.write("a", "old");
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  pid_t child = ::fork();
  if (child == 0) {
    WriteLock lock = WriteLock::of_file(folder.path("a"), LockKind::exclusive, {});
    WriteLock beside = WriteLock::of_folder(folder.path(""), {});
    if (::write(ready[1], "x", 1) != 1) ::_exit(1);
    while (true) ::pause();
  }
  char byte = 0;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  EXPECT_EQ(thrown_by([&] { append_file(folder.path("a")); }).code(), ErrorCode::busy);
  EXPECT_EQ(thrown_by([&] { WriteLock::of_folder(folder.path(""), {}); }).code(), ErrorCode::busy);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  ::close(ready[0]);
  ::close(ready[1]);
  EXPECT_TRUE(append_file(folder.path("a")));
  EXPECT_TRUE(WriteLock::of_folder(folder.path(""), {}));
}

// /proc does not support locks for folders, and its files are not for fcntl(2) either on every
// kernel; what counts is that a file system without locks stops nobody.
TEST(WriteLock, OfAFileSystemWithoutLocksIsTold) {
  Warnings warnings;
  Descriptor file = open_descriptor("/dev/null", O_RDONLY);
  EXPECT_EQ(lock_file(file.get(), LockKind::exclusive), Locked::unsupported);  // EBADF
  EXPECT_TRUE(lock_opened(file.get(), LockKind::exclusive, "/dev/null", warnings.on_warning));
  EXPECT_THAT(warnings.told, ElementsAre(HasSubstr("does not support locks")));
}

TEST(AppendFile, AnAppendThatDiedIsRemovedAndTold) {
  TemporaryFolder folder;
  folder.write("a", "whole, and what was not completed");
  Warnings warnings;
  auto file = append_file(lock_to_append(folder.path("a"), {}), folder.path("a"), 5,
                          {.on_warning = warnings.on_warning});
  EXPECT_THAT(warnings.told, ElementsAre(HasSubstr("removed an incomplete append of 28 bytes")));
  file->append(as_bytes(" again"));
  file->commit();
  EXPECT_EQ(folder.read("a"), "whole again");
}

TEST(Leftovers, OfTheDeadAreRemovedAndTold) {
  TemporaryFolder folder;
  folder.write(".a.0123abcd.part", "left");
  folder.write(".a.0123abcd.part-wal", "left");
  folder.write(".b.0123abcd.part", "of another target");
  folder.write(".a.part", "not ours");
  std::filesystem::create_directories(folder.path(".a.89abcdef.part/in"));
  Warnings warnings;
  create_file(folder.path("a"), {.on_warning = warnings.on_warning})->commit();
  EXPECT_THAT(folder.names(), ElementsAre(".a.part", ".b.0123abcd.part", "a"));
  EXPECT_EQ(warnings.told.size(), 2U);
  EXPECT_THAT(warnings.told.front(), HasSubstr("left behind by a program that was killed"));
}

TEST(Leftovers, LogsOfADatabaseThatWasThereGoWithIt) {
  TemporaryFolder folder;
  for (const char* name : {"a.db3", "a.db3-wal", "a.db3-journal", "b.db3-wal"}) {
    folder.write(name, "old");
  }
  auto commit = [](const std::string& path, std::string_view content) {
    auto file = create_file(path);
    file->append(as_bytes(content));
    file->commit();
  };
  commit(folder.path("a.db3"), "no database, and nobody's log is its");
  EXPECT_EQ(folder.names().size(), 4U);
  std::string_view database("SQLite format 3\0 and so on", 26);
  commit(folder.path("a.db3"), database);
  EXPECT_THAT(folder.names(), ElementsAre("a.db3", "b.db3-wal"));
  StagedSet set(folder.path("b.db3"), {});
  commit(set.place(folder.path("b.db3"), true), database);
  set.publish();
  EXPECT_FALSE(folder.names().contains("b.db3-wal"));
}

TEST(Leftovers, WhatALivingWriterHasStays) {
  TemporaryFolder folder;
  auto first = create_file(folder.path("a"));
  StagedFolder second(folder.path("a"), {});
  std::size_t before = folder.names().size();
  create_file(folder.path("a"));
  EXPECT_EQ(folder.names().size(), before);
  first->commit();
  EXPECT_EQ(folder.read("a"), "");
}

TEST(StagedSet, AppearsAsAWhole) {
  TemporaryFolder folder;
  folder.write("run_1", "old");
  {
    StagedSet set(folder.path("run"), {});
    for (const char* name : {"run_0", "run_1"}) {
      auto file = create_file(set.place(folder.path(name), true));
      file->append(as_bytes("new"));
      file->commit();
    }
    EXPECT_EQ(folder.read("run_1"), "old");
    EXPECT_FALSE(folder.names().contains("run_0"));
    set.publish();
  }
  EXPECT_EQ(folder.read("run_0"), "new");
  EXPECT_EQ(folder.read("run_1"), "new");
  EXPECT_THAT(folder.names(), ElementsAre("run_0", "run_1"));
}

TEST(StagedSet, GivenUpLeavesNothing) {
  TemporaryFolder folder;
  {
    StagedSet set(folder.path("run"), {});
    create_file(set.place(folder.path("run_0"), true))->commit();
  }
  EXPECT_THAT(folder.names(), IsEmpty());
}

TEST(StagedSet, NothingAppearsWhereOnePartIsBeingWritten) {
  TemporaryFolder folder;
  folder.write("run_1", "old");
  StagedSet set(folder.path("run"), {});
  create_file(set.place(folder.path("run_0"), true))->commit();
  create_file(set.place(folder.path("run_1"), true))->commit();
  std::filesystem::remove(folder.path("run_1"));
  auto other = create_file(folder.path("run_1"), {.is_visible = true});
  EXPECT_EQ(thrown_by([&] { set.publish(); }).code(), ErrorCode::busy);
  EXPECT_FALSE(folder.names().contains("run_0"));
}

TEST(StagedSet, NothingAppearsWhereOnePartCannotBeLookedAt) {
  TemporaryFolder folder;
  StagedSet set(folder.path("run"), {});
  std::string first = set.place(folder.path("run_0"), false);
  create_file(set.place(folder.path("run_1"), false))->commit();
  EXPECT_EQ(thrown_by([&] { set.publish(); }).code(), ErrorCode::not_found);
  EXPECT_FALSE(folder.names().contains("run_1"));
  create_file(first)->commit();
  set.publish();
  EXPECT_TRUE(folder.names().contains("run_0"));
  EXPECT_TRUE(folder.names().contains("run_1"));
}

TEST(StagedSet, InPlaceItReplacesOnlyWhatItHasLocked) {
  TemporaryFolder folder;
  folder.write("a", "old");
  StagedSet set(folder.path("a"), {});
  WriteLock lock = lock_to_append(folder.path("a"), {});
  create_file(set.place_instead(folder.path("a"), std::make_unique<LocalLock>(std::move(lock))))
      ->commit();
  folder.write("b", "another");
  std::filesystem::rename(folder.path("b"), folder.path("a"));
  EXPECT_EQ(thrown_by([&] { set.publish(); }).code(), ErrorCode::busy);
  EXPECT_EQ(folder.read("a"), "another");
}

TEST(StagedSet, TellsErrorsOfTheNameToCome) {
  TemporaryFolder folder;
  StagedSet set(folder.path("run"), {});
  std::string place = set.place(folder.path("run_0"), true);
  Error error = set.with_final_name(Error(ErrorCode::io, "is full", place, 7));
  EXPECT_EQ(error.file(), folder.path("run_0"));
  EXPECT_EQ(error.offset(), 7U);
}

}  // namespace
}  // namespace kitbag
