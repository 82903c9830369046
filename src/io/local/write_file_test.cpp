#include "io/local/write_file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <thread>

#include "io/output/test_output.h"
#include "io/posix.h"
#include "kitbag/error.h"
#include "kitbag/file.h"
#include "kitbag/leave.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/thrown_by.h"

namespace kitbag {
namespace {

using test::FileSizeLimit;
using test::numbered_text;
using test::thrown_by;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

unsigned mode_of(const std::string& path) {
  struct stat status;
  EXPECT_EQ(::stat(path.c_str(), &status), 0);
  return status.st_mode & 0777U;
}

TEST(CreateFile, AppearsWholeAtCommit) {
  TemporaryFolder folder;
  auto file = create_file(folder.path("run.bag"));
  file->append(as_bytes("hello "));
  file->append(as_bytes("world"));
  EXPECT_EQ(file->size(), 11U);
  EXPECT_FALSE(folder.names().contains("run.bag"));
  file->commit();
  EXPECT_EQ(folder.read("run.bag"), "hello world");
  file.reset();
  EXPECT_THAT(folder.names(), ElementsAre("run.bag"));
}

TEST(CreateFile, MayBeEmpty) {
  TemporaryFolder folder;
  create_file(folder.path("a"))->commit();
  EXPECT_EQ(folder.read("a"), "");
  EXPECT_THAT(folder.names(), ElementsAre("a"));
}

TEST(CreateFile, HidesItselfBesideTheTarget) {
  TemporaryFolder folder;
  auto file = create_file(folder.path("run.bag"));
  ASSERT_EQ(folder.names().size(), 1U);
  EXPECT_THAT(*folder.names().begin(), testing::MatchesRegex("\\.run\\.bag\\..*\\.part"));
}

TEST(CreateFile, LeavesNothingWhenGivenUp) {
  TemporaryFolder folder;
  create_file(folder.path("a"))->append(as_bytes(numbered_text(1'000'000)));
  EXPECT_THAT(folder.names(), IsEmpty());
}

TEST(CreateFile, VisibleItIsThereFromTheStartAndStaysWhenGivenUp) {
  TemporaryFolder folder;
  auto file = create_file(folder.path("a"), {.io = Io::automatic, .is_visible = true});
  EXPECT_THAT(folder.names(), ElementsAre("a"));
  file->append(as_bytes("recorded"));
  file.reset();
  EXPECT_EQ(folder.read("a"), "recorded");
}

TEST(CreateFile, VisibleItIsCommittedAsItIs) {
  TemporaryFolder folder;
  auto file = create_file(folder.path("a"), {.io = Io::direct, .is_visible = true});
  file->append(as_bytes(numbered_text(1'000'000)));
  file->commit();
  file.reset();
  EXPECT_EQ(folder.read("a"), numbered_text(1'000'000));
}

TEST(CreateFile, VisibleItReplacesNothing) {
  TemporaryFolder folder;
  folder.write("a", "old");
  Error error =
      thrown_by([&] { create_file(folder.path("a"), {.io = Io::automatic, .is_visible = true}); });
  EXPECT_EQ(error.code(), ErrorCode::exists);
  EXPECT_THAT(error.what(), HasSubstr("already exists"));
  EXPECT_EQ(folder.read("a"), "old");
}

TEST(CreateFile, TheOldFileStaysWhenGivenUp) {
  TemporaryFolder folder;
  folder.write("a", "old");
  auto file = create_file(folder.path("a"));
  file->append(as_bytes("new"));
  file->sync();
  file.reset();
  EXPECT_EQ(folder.read("a"), "old");
  EXPECT_THAT(folder.names(), ElementsAre("a"));
}

TEST(CreateFile, WhoReadsTheOldFileKeepsIt) {
  TemporaryFolder folder;
  auto old = open_file(folder.write("a", "old content"));
  auto file = create_file(folder.path("a"));
  file->append(as_bytes("new"));
  EXPECT_EQ(folder.read("a"), "old content");
  file->commit();
  EXPECT_EQ(folder.read("a"), "new");
  std::vector<std::byte> bytes(11);
  EXPECT_EQ(old->read(0, bytes), 11U);
  EXPECT_EQ(as_text(bytes), "old content");
}

TEST(CreateFile, TwoAtOnceDoNotMeet) {
  TemporaryFolder folder;
  auto first = create_file(folder.path("a"));
  auto second = create_file(folder.path("a"));
  first->append(as_bytes("first"));
  second->append(as_bytes("second"));
  first->commit();
  second->commit();
  EXPECT_EQ(folder.read("a"), "second");
  EXPECT_THAT(folder.names(), ElementsAre("a"));
}

TEST(CreateFile, SmallAndLargePiecesKeepTheirOrder) {
  TemporaryFolder folder;
  std::string expected;
  auto file = create_file(folder.path("a"));
  for (std::size_t size :
       std::vector<std::size_t>{1, 100, 70'000, 0, 5, 65'536, 65'535, 65'535, 65'535, 65'535, 3,
                                300'000, 262'144, 1, 262'143, 9}) {
    std::string piece = numbered_text(size);
    file->append(as_bytes(piece));
    expected += piece;
    ASSERT_EQ(file->size(), expected.size());
  }
  file->commit();
  EXPECT_EQ(folder.read("a"), expected);
}

TEST(CreateFile, MorePiecesThanTheSystemTakesAtOnce) {
  TemporaryFolder folder;
  std::string text = numbered_text(3000 * 100);
  std::vector<ByteView> pieces;
  for (std::size_t i = 0; i < 3000; ++i) {
    pieces.push_back(as_bytes(text).subspan(i * 100, 100));
    if (i % 3 == 0) pieces.push_back({});
    if (i == 1500) pieces.insert(pieces.end(), 200, ByteView());
  }
  auto file = create_file(folder.path("a"));
  file->append(pieces);
  file->append(std::span<const ByteView>());
  file->commit();
  EXPECT_EQ(folder.read("a"), text);
}

TEST(CreateFile, ManySmallPiecesAreGathered) {
  TemporaryFolder folder;
  std::string expected;
  auto file = create_file(folder.path("a"));
  for (int i = 0; i < 200'000; ++i) {
    std::string piece = std::to_string(i);
    file->append(as_bytes(piece));
    expected += piece;
  }
  file->commit();
  EXPECT_EQ(folder.read("a"), expected);
}

TEST(CreateFile, FlushHandsOverWhatIsGathered) {
  TemporaryFolder folder;
  auto file = create_file(folder.path("a"));
  file->append(as_bytes("abc"));
  std::string hidden = *folder.names().begin();
  EXPECT_EQ(folder.read(hidden), "");
  file->flush();
  EXPECT_EQ(folder.read(hidden), "abc");
  file->flush();
  EXPECT_EQ(folder.read(hidden), "abc");
}

TEST(CreateFile, RewritesWhatIsGatheredAndWhatIsWritten) {
  TemporaryFolder folder;
  auto file = create_file(folder.path("a"));
  file->append(as_bytes("0123456789"));
  file->rewrite(2, as_bytes("xy"));  // gathered
  file->flush();
  file->append(as_bytes("abcdef"));
  file->rewrite(0, as_bytes("Z"));     // written
  file->rewrite(8, as_bytes("MMMM"));  // on both sides
  file->rewrite(15, as_bytes("!"));    // the last byte
  file->append(as_bytes("more"));
  EXPECT_EQ(file->size(), 20U);
  file->commit();
  EXPECT_EQ(folder.read("a"), "Z1xy4567MMMMcde!more");
}

TEST(CreateFile, ReplacesNothingWhereItMayNot) {
  TemporaryFolder folder;
  folder.write("a", "old");
  OutputOptions keeping{.may_replace = false};
  Error error = thrown_by([&] { create_file(folder.path("a"), keeping); });
  EXPECT_EQ(error.code(), ErrorCode::exists);
  auto file = create_file(folder.path("b"), keeping);
  file->append(as_bytes("mine"));
  folder.write("b", "somebody's");  // while it is written
  EXPECT_EQ(thrown_by([&] { file->commit(); }).code(), ErrorCode::exists);
  file.reset();
  EXPECT_EQ(folder.read("a"), "old");
  EXPECT_EQ(folder.read("b"), "somebody's");
  EXPECT_EQ(folder.names().size(), 2U);
  auto free = create_file(folder.path("c"), keeping);
  free->append(as_bytes("mine"));
  free->commit();
  EXPECT_EQ(folder.read("c"), "mine");
}

TEST(CreateFile, LeavesTheLogOfADatabaseThatSomebodyElseHasCreated) {
  TemporaryFolder folder;
  auto file = create_file(folder.path("b"), {.may_replace = false});
  file->append(as_bytes(std::string("SQLite format 3\0mine", 20)));
  folder.write("b", "somebody's");
  folder.write("b-wal", "log");
  EXPECT_EQ(thrown_by([&] { file->commit(); }).code(), ErrorCode::exists);
  EXPECT_EQ(folder.read("b-wal"), "log");
}

TEST(CreateFile, RefusesToRewriteWhatWasNeverWritten) {
  TemporaryFolder folder;
  for (std::uint64_t offset : {std::uint64_t{2}, std::uint64_t{4}, UINT64_MAX}) {
    auto file = create_file(folder.path("a"));
    file->append(as_bytes("abc"));
    Error error = thrown_by([&] { file->rewrite(offset, as_bytes("xy")); });
    EXPECT_EQ(error.code(), ErrorCode::invalid);
  }
}

TEST(CreateFile, HasTheModeOfANewFile) {
  TemporaryFolder folder;
  mode_t before = ::umask(027);
  create_file(folder.path("a"))->commit();
  ::umask(before);
  EXPECT_EQ(mode_of(folder.path("a")), 0640U);
}

TEST(CreateFile, KeepsTheModeOfTheFileItReplaces) {
  TemporaryFolder folder;
  folder.write("a", "old");
  ASSERT_EQ(::chmod(folder.path("a").c_str(), 0604), 0);
  create_file(folder.path("a"))->commit();
  EXPECT_EQ(mode_of(folder.path("a")), 0604U);
}

TEST(AppendFileDeathTest, LeavingTakesBackWhatWasAppended) {
  TemporaryFolder folder;
  folder.write("a", "0123456789");
  auto append_and_leave = [&] {
    auto file = append_file(folder.path("a"));
    file->append(as_bytes("appended"));
    file->sync();
    file->rewrite(2, as_bytes("rewritten"));
    file->append(as_bytes("more"));
    leave(2, Leave::if_harmless);
  };
  EXPECT_EXIT(append_and_leave(), ::testing::ExitedWithCode(2), "");
  EXPECT_EQ(folder.read("a"), "0123456789");
}

TEST(AppendFileDeathTest, WhatWasCommittedIsNotLeftAsInterrupted) {
  TemporaryFolder folder;
  folder.write("a", "0123456789");
  auto commit_and_leave = [&] {
    auto file = append_file(folder.path("a"));
    file->append(as_bytes("appended"));
    file->commit();
    leave(2, Leave::if_harmless);  // returns
    ::_exit(0);
  };
  EXPECT_EXIT(commit_and_leave(), ::testing::ExitedWithCode(0), "");
  EXPECT_EQ(folder.read("a"), "0123456789appended");
}

TEST(CreateFile, FollowsLinks) {
  TemporaryFolder folder;
  std::filesystem::create_directory(folder.path("sub"));
  folder.write("sub/real", "old");
  ASSERT_EQ(::symlink("sub/real", folder.path("link").c_str()), 0);
  ASSERT_EQ(::symlink("link", folder.path("link2").c_str()), 0);
  auto file = create_file(folder.path("link2"));
  file->append(as_bytes("new"));
  file->commit();
  EXPECT_TRUE(std::filesystem::is_symlink(folder.path("link")));
  EXPECT_TRUE(std::filesystem::is_symlink(folder.path("link2")));
  EXPECT_EQ(folder.read("sub/real"), "new");
}

TEST(CreateFile, FollowsALinkToNothing) {
  TemporaryFolder folder;
  std::filesystem::create_directory(folder.path("sub"));
  ASSERT_EQ(::symlink("sub/real", folder.path("link").c_str()), 0);
  auto file = create_file(folder.path("link"));
  file->append(as_bytes("new"));
  file->commit();
  EXPECT_TRUE(std::filesystem::is_symlink(folder.path("link")));
  EXPECT_EQ(folder.read("sub/real"), "new");
}

TEST(CreateFile, RefusesLinksInACircle) {
  TemporaryFolder folder;
  ASSERT_EQ(::symlink("b", folder.path("a").c_str()), 0);
  ASSERT_EQ(::symlink("a", folder.path("b").c_str()), 0);
  EXPECT_EQ(thrown_by([&] { create_file(folder.path("a")); }).code(), ErrorCode::io);
}

TEST(CreateFile, ANameInTheFolderWhereWeAre) {
  TemporaryFolder folder;
  auto before = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());
  create_file("plain")->commit();
  std::filesystem::current_path(before);
  EXPECT_THAT(folder.names(), ElementsAre("plain"));
}

TEST(CreateFile, TheLongestName) {
  TemporaryFolder folder;
  std::string name(255, 'n');
  create_file(folder.path(name))->commit();
  EXPECT_THAT(folder.names(), ElementsAre(name));
}

TEST(CreateFile, TellsThatTheFolderIsMissing) {
  TemporaryFolder folder;
  std::string path = folder.path("none/a");
  Error error = thrown_by([&] { create_file(path); });
  EXPECT_EQ(error.code(), ErrorCode::not_found);
  EXPECT_EQ(error.file(), path);
  EXPECT_THAT(error.what(), HasSubstr("the folder " + folder.path("none")));
}

TEST(CreateFile, RefusesADirectory) {
  TemporaryFolder folder;
  Error error = thrown_by([&] { create_file(folder.path()); });
  EXPECT_EQ(error.code(), ErrorCode::io);
  EXPECT_THAT(error.what(), HasSubstr("is a directory"));
}

TEST(CreateFile, RefusesAReadOnlyFile) {
  TemporaryFolder folder;
  folder.write("a", "old");
  ASSERT_EQ(::chmod(folder.path("a").c_str(), 0444), 0);
  WithoutPrivileges nobody(folder, 0777);
  EXPECT_THAT(thrown_by([&] { create_file(folder.path("a")); }).what(),
              HasSubstr("permission denied"));
}

TEST(CreateFile, TellsThatTheFolderIsReadOnly) {
  TemporaryFolder folder;
  WithoutPrivileges nobody(folder, 0555);
  Error error = thrown_by([&] { create_file(folder.path("a")); });
  EXPECT_EQ(error.code(), ErrorCode::io);
  EXPECT_THAT(error.what(),
              HasSubstr("cannot create a file in " + folder.path() + ": permission denied"));
}

TEST(CreateFile, AFullDiskIsToldAndLeavesTheOldFile) {
  TemporaryFolder folder;
  folder.write("a", "old");
  {
    FileSizeLimit limit(100'000);
    auto file = create_file(folder.path("a"));
    file->append(as_bytes(numbered_text(90'000)));
    Error error = thrown_by([&] { file->append(as_bytes(numbered_text(90'000))); });
    EXPECT_EQ(error.code(), ErrorCode::io);
    EXPECT_EQ(error.file(), folder.path("a"));
    EXPECT_THAT(error.what(), HasSubstr("cannot write: file too large"));
  }
  EXPECT_EQ(folder.read("a"), "old");
  EXPECT_THAT(folder.names(), ElementsAre("a"));
}

TEST(CreateFile, ErrorsStay) {
  TemporaryFolder folder;
  auto file = create_file(folder.path("a"));
  file->append(as_bytes("abc"));
  std::string first;
  {
    FileSizeLimit limit(1000);
    first = thrown_by([&] { file->append(as_bytes(numbered_text(90'000))); }).what();
  }
  EXPECT_THAT(first, HasSubstr("file too large"));
  EXPECT_EQ(thrown_by([&] { file->append(as_bytes("x")); }).what(), first);
  EXPECT_EQ(thrown_by([&] { file->rewrite(0, as_bytes("x")); }).what(), first);
  EXPECT_EQ(thrown_by([&] { file->flush(); }).what(), first);
  EXPECT_EQ(thrown_by([&] { file->sync(); }).what(), first);
  EXPECT_EQ(thrown_by([&] { file->commit(); }).what(), first);
  file.reset();
  EXPECT_THAT(folder.names(), IsEmpty());
}

TEST(CreateFile, GatheredBytesThatDoNotFitAreToldAtCommit) {
  TemporaryFolder folder;
  {
    FileSizeLimit limit(10);
    auto file = create_file(folder.path("a"));
    file->append(as_bytes("longer than ten bytes"));
    EXPECT_EQ(thrown_by([&] { file->commit(); }).code(), ErrorCode::io);
  }
  EXPECT_THAT(folder.names(), IsEmpty());
}

TEST(CreateFile, ARenameThatFailsLeavesNothing) {
  TemporaryFolder folder;
  auto file = create_file(folder.path("a"));
  std::filesystem::create_directory(folder.path("a"));
  EXPECT_THAT(thrown_by([&] { file->commit(); }).what(), HasSubstr("is a directory"));
  file.reset();
  EXPECT_THAT(folder.names(), ElementsAre("a"));
}

TEST(WriteDevice, AFullOneTellsThatThereIsNoSpace) {
  auto file = create_file("/dev/full");
  Error error = thrown_by([&] { file->append(as_bytes(numbered_text(100'000))); });
  EXPECT_EQ(error.code(), ErrorCode::io);
  EXPECT_STREQ(error.what(), "/dev/full: cannot write: no space left on device");
}

TEST(WriteDevice, AFullOneTellsItAtCommitAtLast) {
  auto file = create_file("/dev/full");
  file->append(as_bytes("abc"));
  EXPECT_THAT(thrown_by([&] { file->commit(); }).what(), HasSubstr("no space left"));
}

TEST(WriteDevice, ThatTakesEverything) {
  auto file = create_file("/dev/null");
  file->append(as_bytes(numbered_text(1'000'000)));
  file->sync();
  EXPECT_EQ(file->size(), 1'000'000U);
  file->commit();
}

TEST(WriteDevice, CannotGoBack) {
  auto file = create_file("/dev/null");
  file->append(as_bytes("abc"));
  Error error = thrown_by([&] { file->rewrite(0, as_bytes("x")); });
  EXPECT_EQ(error.code(), ErrorCode::unsupported);
  EXPECT_THAT(error.what(), HasSubstr("this format needs random access to write"));
}

TEST(WriteDevice, APipeGetsTheBytesInOrder) {
  TemporaryFolder folder;
  std::string path = folder.path("pipe");
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  std::string received;
  std::thread reader([&] { received = folder.read("pipe"); });
  std::string expected;
  auto file = create_file(path);  // waits for the reader
  for (std::size_t size : std::vector<std::size_t>{10, 200'000, 5, 3, 400'000}) {
    std::string piece = numbered_text(size);
    file->append(as_bytes(piece));
    expected += piece;
  }
  file->commit();
  file.reset();
  reader.join();
  EXPECT_EQ(received, expected);
  EXPECT_THAT(folder.names(), ElementsAre("pipe"));
}

TEST(AppendFile, AppendsBehindTheEnd) {
  TemporaryFolder folder;
  auto file = append_file(folder.write("a", "0123456789"));
  EXPECT_EQ(file->size(), 10U);
  std::string large = numbered_text(100'000);
  file->append(as_bytes("abc"));
  file->append(as_bytes(large));
  EXPECT_EQ(file->size(), 100'013U);
  file->commit();
  file.reset();
  EXPECT_EQ(folder.read("a"), "0123456789abc" + large);
}

TEST(AppendFile, IsCutBackWhenGivenUp) {
  TemporaryFolder folder;
  auto file = append_file(folder.write("a", "0123456789"));
  file->append(as_bytes(numbered_text(100'000)));
  file->sync();
  EXPECT_EQ(folder.read("a").size(), 100'010U);
  file.reset();
  EXPECT_EQ(folder.read("a"), "0123456789");
}

TEST(AppendFile, PutsBackWhatWasRewritten) {
  TemporaryFolder folder;
  auto file = append_file(folder.write("a", "0123456789"));
  file->append(as_bytes("abcdef"));
  file->rewrite(2, as_bytes("XYZ"));
  file->rewrite(3, as_bytes("vw"));    // again
  file->rewrite(8, as_bytes("QQQQ"));  // across the old end
  file->rewrite(12, as_bytes("R"));    // what was appended
  file->flush();
  EXPECT_EQ(folder.read("a"), "01Xvw567QQQQRdef");
  file.reset();
  EXPECT_EQ(folder.read("a"), "0123456789");
}

TEST(AppendFile, KeepsWhatWasRewrittenAtCommit) {
  TemporaryFolder folder;
  auto file = append_file(folder.write("a", "0123456789"));
  file->append(as_bytes("abc"));
  file->rewrite(0, as_bytes("X"));
  file->commit();
  file.reset();
  EXPECT_EQ(folder.read("a"), "X123456789abc");
}

TEST(AppendFile, WritesWhatWasAppendedBeforeItRewrites) {
  TemporaryFolder folder;
  auto file = append_file(folder.write("a", "0123456789"));
  file->append(as_bytes("abc"));
  file->rewrite(0, as_bytes("X"));
  EXPECT_EQ(folder.read("a"), "X123456789abc");
}

TEST(AppendFile, AFullDiskLeavesTheFileAsItWas) {
  TemporaryFolder folder;
  std::string old = numbered_text(50'000);
  folder.write("a", old);
  {
    FileSizeLimit limit(100'000);
    auto file = append_file(folder.path("a"));
    file->rewrite(0, as_bytes("damage"));
    Error error = thrown_by([&] { file->append(as_bytes(numbered_text(90'000))); });
    EXPECT_THAT(error.what(), HasSubstr("file too large"));
    EXPECT_EQ(thrown_by([&] { file->commit(); }).code(), ErrorCode::io);
  }
  EXPECT_EQ(folder.read("a"), old);
}

TEST(AppendFile, RefusesWhatIsNotThereOrNoFile) {
  TemporaryFolder folder;
  EXPECT_EQ(thrown_by([&] { append_file(folder.path("none")); }).code(), ErrorCode::not_found);
  EXPECT_THAT(thrown_by([&] { append_file(folder.path()); }).what(), HasSubstr("is a directory"));
  EXPECT_THAT(thrown_by([] { append_file("/dev/null"); }).what(), HasSubstr("not a regular file"));
}

TEST(SameFile, KnowsLinksOfBothKinds) {
  TemporaryFolder folder;
  folder.write("a", "x");
  folder.write("b", "x");
  ASSERT_EQ(::symlink("a", folder.path("soft").c_str()), 0);
  ASSERT_EQ(::link(folder.path("a").c_str(), folder.path("hard").c_str()), 0);
  EXPECT_TRUE(same_file(folder.path("a"), folder.path("a")));
  EXPECT_TRUE(same_file(folder.path("a"), folder.path("./a")));
  EXPECT_TRUE(same_file(folder.path("a"), folder.path("soft")));
  EXPECT_TRUE(same_file(folder.path("hard"), folder.path("soft")));
  EXPECT_FALSE(same_file(folder.path("a"), folder.path("b")));
  EXPECT_FALSE(same_file(folder.path("a"), folder.path("none")));
  EXPECT_FALSE(same_file(folder.path("none"), folder.path("none")));
}

TEST(Descriptor, ClosesOnceAndTellsWhenItCannot) {
  Descriptor file = open_descriptor("/dev/null", O_RDONLY);
  ASSERT_TRUE(file);
  int number = file.get();
  Descriptor moved = std::move(file);
  EXPECT_EQ(moved.get(), number);
  EXPECT_EQ(moved.close(), 0);
  EXPECT_EQ(::fcntl(number, F_GETFD), -1);
  EXPECT_EQ(moved.close(), 0);
  Descriptor wrong(number);
  EXPECT_EQ(wrong.close(), EBADF);
}

TEST(SystemError, IsASentence) {
  EXPECT_STREQ(system_error("write", ENOSPC, "run.bag", 7).what(),
               "run.bag at byte 7: cannot write: no space left on device");
  EXPECT_EQ(system_error("open it", ENOENT, "run.bag").code(), ErrorCode::not_found);
  EXPECT_EQ(system_error("open it", EACCES, "run.bag").code(), ErrorCode::io);
}

}  // namespace
}  // namespace kitbag
