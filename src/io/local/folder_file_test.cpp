#include "io/local/folder_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "kitbag/error.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/thrown_by.h"

namespace kitbag {
namespace {

std::string text_in(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(FolderFile, HasWhatWasWritten) {
  TemporaryFolder folder;
  auto file = create_folder_file(folder.path("a"));
  file->append(as_bytes("one two"));
  file->rewrite(4, as_bytes("2"));
  EXPECT_EQ(file->size(), 7U);
  file->commit();
  EXPECT_EQ(text_in(folder.path("a")), "one 2wo");
  std::filesystem::create_directory(folder.path("inner"));
  create_folder_file(folder.path("inner/b"))->commit();
  sync_folder_files(folder.path(""));
  EXPECT_TRUE(std::filesystem::exists(folder.path("inner/b")));
}

TEST(FolderFile, GoesIfItIsNotComplete) {
  TemporaryFolder folder;
  create_folder_file(folder.path("a"))->append(as_bytes("one"));
  EXPECT_FALSE(std::filesystem::exists(folder.path("a")));
}

TEST(FolderFile, ReplacesNothing) {
  TemporaryFolder folder;
  folder.write("a", "old");
  EXPECT_ERROR(exists, create_folder_file(folder.path("a")));
  EXPECT_EQ(text_in(folder.path("a")), "old");
  EXPECT_ERROR(not_found, create_folder_file(folder.path("none/a")));
}

TEST(FolderFile, SyncsOnlyWhatIsThere) {
  TemporaryFolder folder;
  EXPECT_ERROR(not_found, sync_folder_files(folder.path("none")));
}

}  // namespace
}  // namespace kitbag
