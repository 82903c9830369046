#include "io/local/temporary_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>

#include <vector>

#include "kitbag/error.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/thrown_by.h"

namespace kitbag {
namespace {

using test::thrown_by;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// $TMPDIR is this folder while it lives.
class TemporaryPlace {
 public:
  explicit TemporaryPlace(const std::string& folder) {
    const char* before = ::getenv("TMPDIR");
    if (before) before_ = before;
    ::setenv("TMPDIR", folder.c_str(), 1);
  }
  ~TemporaryPlace() {
    if (before_.empty()) ::unsetenv("TMPDIR");
    if (!before_.empty()) ::setenv("TMPDIR", before_.c_str(), 1);
  }
  TemporaryPlace(const TemporaryPlace&) = delete;
  TemporaryPlace& operator=(const TemporaryPlace&) = delete;

 private:
  std::string before_;
};

TEST(TemporaryFile, IsReadWhenItIsWritten) {
  TemporaryFolder folder;
  TemporaryPlace place(folder.path());
  TemporaryFile file;
  std::string large(3'000'000, 'x');
  file.append(as_bytes("begin"));
  file.append(as_bytes(large));
  EXPECT_EQ(file.size(), 3'000'005U);
  EXPECT_THAT(folder.names(), IsEmpty()) << "it has no name";
  auto read = file.finish();
  EXPECT_EQ(read->size(), 3'000'005U);
  std::vector<std::byte> bytes(10);
  EXPECT_EQ(read->read(0, bytes), 10U);
  EXPECT_EQ(as_text(bytes), "beginxxxxx");
  EXPECT_EQ(read->read(3'000'000, bytes), 5U);
  EXPECT_EQ(read->read(3'000'005, bytes), 0U);
}

TEST(TemporaryFile, WithoutAFolderIsRefused) {
  TemporaryFolder folder;
  TemporaryPlace place(folder.path("absent"));
  EXPECT_THAT(thrown_by([] { TemporaryFile(); }).what(),
              HasSubstr("cannot use the folder for temporary files"));
}

TEST(TemporaryFile, TellsOfADiskThatIsFull) {
  TemporaryFolder folder;
  TemporaryPlace place(folder.path());
  TemporaryFile file;
  rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  rlimit limit = before;
  limit.rlim_cur = 1000;
  auto handler = ::signal(SIGXFSZ, SIG_IGN);
  ::setrlimit(RLIMIT_FSIZE, &limit);
  Error error = thrown_by([&] { file.append(as_bytes(std::string(5000, 'x'))); });
  ::setrlimit(RLIMIT_FSIZE, &before);
  ::signal(SIGXFSZ, handler);
  EXPECT_EQ(error.code(), ErrorCode::io);
  EXPECT_EQ(error.file(), folder.path());
  EXPECT_THAT(error.what(), HasSubstr("cannot write a temporary file in this folder"));
}

}  // namespace
}  // namespace kitbag
