#include "io/local/file_status.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "kitbag/error.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/thrown_by.h"

namespace kitbag {
namespace {

TEST(FileStatus, TellsWhatIsThere) {
  TemporaryFolder folder;
  std::string file = folder.write("a", "12345");
  std::filesystem::create_symlink(file, folder.path("link"));
  std::filesystem::create_symlink("nowhere", folder.path("dangling"));
  EXPECT_TRUE(is_regular_file(file));
  EXPECT_TRUE(is_regular_file(folder.path("link")));
  EXPECT_FALSE(is_regular_file(folder.path()));
  EXPECT_EQ(status_of(file)->size_bytes, 5U);
  EXPECT_TRUE(status_of(folder.path())->is_folder);
  for (const char* absent : {"b", "a/below", "dangling"}) {
    EXPECT_FALSE(status_of(folder.path(absent))) << absent;
  }
  EXPECT_FALSE(status_of(folder.path(std::string(300, 'x'))));
}

TEST(FileStatus, ARefusalIsNoAbsence) {
  TemporaryFolder folder;
  std::string file = folder.write("a", "12345");
  WithoutPrivileges nobody(folder, 0700);
  Error error = test::thrown_by([&] { is_regular_file(file); });
  EXPECT_EQ(error.code(), ErrorCode::io);
  EXPECT_EQ(error.file(), file);
}

}  // namespace
}  // namespace kitbag
