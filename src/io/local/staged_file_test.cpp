#include "io/local/staged_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <optional>

#include "tests/support/temporary_folder.h"

namespace {

/// Of the last file whose mode was set, before it was.
std::optional<mode_t> mode_before_change;

}  // namespace

/// In the place of libc's: sees what others could have seen until then.
extern "C" int fchmod(int file, mode_t mode) noexcept {
  struct stat status;
  if (::fstat(file, &status) == 0) mode_before_change = status.st_mode & 0777U;
  return static_cast<int>(::syscall(SYS_fchmod, file, mode));
}

namespace kitbag {
namespace {

TEST(StagedFile, IsNeverReadableForMoreThanWhatItReplaces) {
  TemporaryFolder folder;
  folder.write("secret", "old");
  mode_t mask = ::umask(0);
  ASSERT_EQ(::chmod(folder.path("secret").c_str(), 0640), 0);
  StagedFile staged(folder.path("secret"));
  ::umask(mask);
  ASSERT_TRUE(mode_before_change.has_value());
  EXPECT_EQ(*mode_before_change & 0077U, 0U);
  struct stat status;
  ASSERT_EQ(::stat(staged.name().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0640U);
}

}  // namespace
}  // namespace kitbag
