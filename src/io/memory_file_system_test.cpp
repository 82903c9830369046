#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "kitbag/error.h"
#include "kitbag/file.h"
#include "kitbag/file_system.h"
#include "tests/support/thrown_by.h"

namespace kitbag {
namespace {

class MemoryFileSystem : public ::testing::Test {
 protected:
  std::unique_ptr<WriteFile> create(const std::string& path, bool may_replace = true) {
    return files_->create(path, {.may_replace = may_replace});
  }
  void write(const std::string& path, std::string_view text) {
    auto file = create(path);
    file->append(as_bytes(text));
    file->commit();
  }
  static std::string text_of(const ReadFile& file) {
    std::string text(file.size(), ' ');
    text.resize(file.read(0, std::as_writable_bytes(std::span(text))));
    return text;
  }
  std::string read(const std::string& path) { return text_of(*files_->open(path)); }
  std::vector<std::string> list(const std::string& folder) {
    auto names = files_->list(folder);
    std::sort(names.begin(), names.end());
    return names;
  }
  std::unique_ptr<FileLock> lock(const std::string& path, LockKind kind) {
    return files_->lock(path, kind, {});
  }

  FileSystemPtr files_ = memory_file_system();
};

using Names = std::vector<std::string>;

TEST_F(MemoryFileSystem, AFileAppearsWhenItIsCommitted) {
  auto file = create("memory://a/x");
  file->append(as_bytes("one"));
  EXPECT_FALSE(files_->status("memory://a/x"));
  EXPECT_ERROR(not_found, files_->open("memory://a/x"));
  file->commit();
  EXPECT_EQ(read("memory://a/x"), "one");
  auto status = files_->status("memory://a/x");
  ASSERT_TRUE(status);
  EXPECT_TRUE(status->is_regular);
  EXPECT_EQ(status->size_bytes, 3U);
}

TEST_F(MemoryFileSystem, ContentIsCompared) {
  write("memory://x", "one");
  EXPECT_TRUE(files_->has_content("memory://x", *memory_file(as_bytes("one"))));
  EXPECT_FALSE(files_->has_content("memory://x", *memory_file(as_bytes("two"))));
  EXPECT_FALSE(files_->has_content("memory://x", *memory_file(as_bytes("one more"))));
  EXPECT_FALSE(files_->has_content("memory://y", *memory_file(as_bytes("one"))));
}

TEST_F(MemoryFileSystem, AFileThatIsNotCommittedLeavesWhatWasThere) {
  write("memory://x", "old");
  create("memory://x")->append(as_bytes("new"));
  create("memory://y")->append(as_bytes("new"));
  EXPECT_EQ(read("memory://x"), "old");
  EXPECT_EQ(list("memory://"), Names{"x"});
}

TEST_F(MemoryFileSystem, AVisibleFileIsThereFromTheBeginningAndLocked) {
  auto file = files_->create("memory://x", {.is_visible = true});
  auto reader = files_->open("memory://x");
  file->append(as_bytes("one"));
  EXPECT_EQ(text_of(*reader), "one");
  EXPECT_ERROR(busy, lock("memory://x", LockKind::exclusive));
  file.reset();
  EXPECT_EQ(read("memory://x"), "one");
  EXPECT_NE(lock("memory://x", LockKind::exclusive), nullptr);
  EXPECT_ERROR(exists, files_->create("memory://x", {.is_visible = true}));
}

TEST_F(MemoryFileSystem, AFileThatMayNotBeReplacedStays) {
  auto late = create("memory://x", false);
  write("memory://x", "old");
  EXPECT_ERROR(exists, create("memory://x", false));
  EXPECT_ERROR(exists, late->commit());
  EXPECT_EQ(read("memory://x"), "old");
}

TEST_F(MemoryFileSystem, AReaderKeepsTheFileThatItHasOpened) {
  write("memory://x", "old");
  auto reader = files_->open("memory://x");
  FileId id = files_->status("memory://x")->id;
  write("memory://x", "new");
  EXPECT_EQ(text_of(*reader), "old");
  EXPECT_EQ(read("memory://x"), "new");
  EXPECT_NE(files_->status("memory://x")->id, id);
  EXPECT_NE(files_->open("memory://x")->identity(), reader->identity());
  files_->remove("memory://x");
  EXPECT_EQ(text_of(*reader), "old");
}

TEST_F(MemoryFileSystem, RewritesOnlyWhatWasWritten) {
  auto file = create("memory://x");
  file->append(as_bytes("one two"));
  file->rewrite(4, as_bytes("TWO"));
  EXPECT_ERROR(invalid, file->rewrite(5, as_bytes("TWO")));
  EXPECT_ERROR(invalid, file->append(as_bytes("more")));  // as before
  EXPECT_ERROR(invalid, file->commit());
  EXPECT_FALSE(files_->status("memory://x"));
}

TEST_F(MemoryFileSystem, AFolderIsTheBeginningOfNames) {
  write("memory://a/b/x", "");
  write("memory://a/b/y", "");
  write("memory://ab", "");
  files_->make_folder("memory://a/empty/");
  EXPECT_EQ(list("memory://"), (Names{"a", "ab"}));
  EXPECT_EQ(list("memory://a"), (Names{"b", "empty"}));
  EXPECT_EQ(list("memory://a/b/"), (Names{"x", "y"}));
  EXPECT_TRUE(files_->status("memory://a/b")->is_folder);
  EXPECT_TRUE(files_->status("memory://a/empty")->is_folder);
  EXPECT_FALSE(files_->status("memory://b"));
  EXPECT_ERROR(io, files_->open("memory://a"));
  EXPECT_ERROR(io, create("memory://a/b"));
  files_->remove("memory://a/b/x");
  files_->remove("memory://a/b/y");
  EXPECT_EQ(list("memory://a"), Names{"empty"});
}

TEST_F(MemoryFileSystem, RenamesInOneStep) {
  write("memory://x", "x");
  write("memory://y", "y");
  write("memory://f/z", "z");
  EXPECT_FALSE(files_->rename("memory://x", "memory://y", false));
  EXPECT_FALSE(files_->rename("memory://x", "memory://f", true));
  EXPECT_EQ(read("memory://y"), "y");
  EXPECT_TRUE(files_->rename("memory://x", "memory://y", true));
  EXPECT_EQ(read("memory://y"), "x");
  EXPECT_ERROR(not_found, files_->rename("memory://x", "memory://z", true));
}

TEST_F(MemoryFileSystem, ALockKeepsOtherWritersAway) {
  write("memory://x", "");
  auto first = lock("memory://x", LockKind::shared);
  auto second = lock("memory://x", LockKind::shared);
  first.reset();
  EXPECT_ERROR(busy, lock("memory://x", LockKind::exclusive));
  second.reset();
  auto alone = lock("memory://x", LockKind::exclusive);
  EXPECT_ERROR(busy, lock("memory://x", LockKind::shared));
  alone.reset();
  EXPECT_NE(lock("memory://x", LockKind::shared), nullptr);
  EXPECT_ERROR(not_found, lock("memory://y", LockKind::shared));
}

TEST_F(MemoryFileSystem, ReadersSeeAFileAsItWasUntilItsContinuationIsCommitted) {
  write("memory://x", "data and index");
  auto file = files_->append("memory://x", 5, lock("memory://x", LockKind::exclusive), {});
  file->append(as_bytes("more"));
  EXPECT_EQ(read("memory://x"), "data and index");
  file->commit();
  EXPECT_EQ(read("memory://x"), "data more");
  EXPECT_ERROR(busy, lock("memory://x", LockKind::exclusive));
  file.reset();
  EXPECT_ERROR(io, files_->append("memory://x", 10, lock("memory://x", LockKind::exclusive), {}));
  EXPECT_ERROR(not_found, files_->append("memory://y", 0, nullptr, {}));
}

class MemoryStaging : public MemoryFileSystem {
 protected:
  std::unique_ptr<Staging> stage() { return files_->stage("memory://runs/x", {}); }
  /// A staging that is to replace memory://runs/x, a file that it has locked.
  std::unique_ptr<Staging> stage_replacement() {
    write("memory://runs/x", "old");
    auto staging = stage();
    write(staging->place_instead("memory://runs/x", lock("memory://runs/x", LockKind::shared)),
          "mine");
    return staging;
  }
};

TEST_F(MemoryStaging, FilesAndFoldersAppearTogether) {
  write("memory://runs/x", "old");
  auto staging = stage();
  write(staging->place("memory://runs/x", true), "new");
  std::string folder = staging->place("memory://runs/bag/", false);
  EXPECT_TRUE(folder.ends_with('/'));
  write(folder + "bag_0", "0");
  EXPECT_EQ(read("memory://runs/x"), "old");
  EXPECT_FALSE(files_->status("memory://runs/bag"));
  staging->publish();
  staging.reset();
  EXPECT_EQ(read("memory://runs/x"), "new");
  EXPECT_EQ(read("memory://runs/bag/bag_0"), "0");
  EXPECT_EQ(list("memory://runs"), (Names{"bag", "x"}));
}

TEST_F(MemoryStaging, NothingRemainsWithoutPublishing) {
  auto staging = stage();
  write(staging->place("memory://runs/x", false), "new");
  files_->make_folder(staging->place("memory://runs/bag/", false));
  staging.reset();
  EXPECT_EQ(list("memory://"), Names{});
}

TEST_F(MemoryStaging, WhereOneCannotAppearNoneDoes) {
  auto staging = stage();
  write(staging->place("memory://runs/x", true), "new");
  write(staging->place("memory://runs/y", false), "new");
  write("memory://runs/y", "old");
  EXPECT_ERROR(exists, staging->publish());
  EXPECT_FALSE(files_->status("memory://runs/x"));
  EXPECT_EQ(read("memory://runs/y"), "old");
}

TEST_F(MemoryStaging, RefusesAPlaceThatIsTaken) {
  write("memory://runs/x", "old");
  write("memory://runs/bag/bag_0", "0");
  files_->make_folder("memory://runs/empty");
  auto staging = stage();
  EXPECT_ERROR(exists, staging->place("memory://runs/x", false));
  EXPECT_ERROR(exists, staging->place("memory://runs/x/", true));
  EXPECT_ERROR(invalid, staging->place("memory://runs/bag/", true));
  write(staging->place("memory://runs/empty/", true) + "empty_0", "0");
  staging->publish();
  EXPECT_EQ(list("memory://runs/empty"), Names{"empty_0"});
}

TEST_F(MemoryStaging, ReplacesOnlyTheFileThatIsLocked) {
  auto staging = stage_replacement();
  EXPECT_ERROR(busy, lock("memory://runs/x", LockKind::exclusive));
  write("memory://runs/x", "other");
  EXPECT_ERROR(busy, staging->publish());
  EXPECT_EQ(read("memory://runs/x"), "other");
  staging.reset();
  EXPECT_NE(lock("memory://runs/x", LockKind::exclusive), nullptr);
}

TEST_F(MemoryStaging, AFileDoesNotReplaceAFolder) {
  auto staging = stage_replacement();
  files_->remove("memory://runs/x");
  write("memory://runs/x/bag_0", "0");
  EXPECT_ERROR(io, staging->publish());
  EXPECT_EQ(list("memory://runs/x"), Names{"bag_0"});
}

TEST_F(MemoryStaging, AnErrorNamesTheFileAsItWillBeCalled) {
  auto staging = stage();
  std::string place = staging->place("memory://runs/x", true);
  Error error = staging->with_final_name(Error(ErrorCode::corrupt, "is damaged", place, 12));
  EXPECT_EQ(error.file(), "memory://runs/x");
  EXPECT_EQ(error.offset(), 12U);
  EXPECT_EQ(error.code(), ErrorCode::corrupt);
  Error other = staging->with_final_name(Error(ErrorCode::corrupt, "is damaged", "memory://y"));
  EXPECT_EQ(other.file(), "memory://y");
}

}  // namespace
}  // namespace kitbag
