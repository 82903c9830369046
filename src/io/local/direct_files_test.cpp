#include "io/output/direct_probe.h"

#include <gmock/gmock.h>
#include <sys/mman.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "io/local/write_file.h"
#include "io/output/test_output.h"
#include "tests/support/skip_or_fail.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/thrown_by.h"
#include "tests/support/units.h"

namespace kitbag {
namespace {

using test::direct_by;
using test::kind_here;
using test::kMiB;
using test::numbered_text;

TEST(DirectProbe, TakesTheRingThenTheThreadThenTheCache) {
  TemporaryFolder folder;
  auto first = kind_here({.io = Io::direct}, folder.path());
  if (first == "buffered") KITBAG_SKIP_WITHOUT("direct", "nothing can be written directly here");
  if (first == "io_uring") {
    EXPECT_EQ(kind_here(direct_by(true), folder.path()), "io_uring");
  }
  EXPECT_EQ(kind_here(direct_by(false), folder.path()), "pwrite");
  OutputOptions none = direct_by(false);
  none.direct.may_use_thread = false;
  EXPECT_EQ(kind_here(none, folder.path()), "buffered");
}

TEST(DirectProbe, BlocksThatDoNotFitTheFileSystemAreNotTried) {
  TemporaryFolder folder;
  EXPECT_EQ(kind_here(direct_by(false, 1000), folder.path()), "buffered");
}

TEST(DirectProbe, AFileSystemThatRefusesIsWrittenThroughTheCache) {
  TemporaryFolder folder;
  test::MountedFolder mounted(folder.path(), "ramfs", "");
  if (!mounted) KITBAG_SKIP_WITHOUT("mount", "only root can mount a file system that refuses");
  EXPECT_EQ(kind_here({.io = Io::direct}, folder.path()), "buffered");
  folder.write("old", numbered_text(5000));
  auto created = create_file(folder.path("new"), {.io = Io::direct});
  auto appended = append_file(folder.path("old"), {.io = Io::direct});
  std::string text = numbered_text(3'000'000);
  for (WriteFile* file : {created.get(), appended.get()}) {
    file->append(as_bytes(text));
    file->rewrite(6000, as_bytes("patched"));
    file->commit();
  }
  text.replace(6000, 7, "patched");
  EXPECT_TRUE(test::file_text(folder.path("new")) == text);
  text = numbered_text(5000) + numbered_text(3'000'000);
  text.replace(6000, 7, "patched");
  EXPECT_TRUE(test::file_text(folder.path("old")) == text);
}

TEST(DirectProbe, WhatCannotBeReadBackIsToldAtOnce) {
  TemporaryFolder folder;
  std::string path = folder.write("a", "short");
  Error error = test::thrown_by(
      [&] { make_direct_output(open_descriptor(path, O_RDWR), path, 100, DirectLimits()); });
  EXPECT_THAT(error.what(), testing::HasSubstr("another program truncated the file"));
}

/// Bytes of a file that lie in the page cache.
std::uint64_t cached_bytes(const std::string& path) {
  Descriptor file = open_descriptor(path, O_RDONLY);
  auto size = static_cast<std::size_t>(std::filesystem::file_size(path));
  void* place = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, file.get(), 0);
  if (place == MAP_FAILED) throw system_error("map it", errno, path);
  auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  std::vector<unsigned char> pages((size + page - 1) / page);
  int result = ::mincore(place, size, pages.data());
  ::munmap(place, size);
  if (result != 0) throw system_error("look at it", errno, path);
  auto cached = std::count_if(pages.begin(), pages.end(), [](auto state) { return state & 1; });
  return static_cast<std::uint64_t>(cached) * page;
}

/// Where direct really means past the cache: some file systems take the flag and ignore it.
bool keeps_direct_promise(const std::string& path) {
  constexpr auto kExt4 = 0xEF53;
  constexpr auto kXfs = 0x58465342;
  struct statfs status {};
  if (::statfs(path.c_str(), &status) != 0) return false;
  return status.f_type == kExt4 || status.f_type == kXfs;
}

class LargeFile : public testing::Test {
 protected:
  void SetUp() override {
    if (!keeps_direct_promise(folder_.path()) ||
        kind_here({.io = Io::direct}, folder_.path()) == "buffered") {
      KITBAG_SKIP_WITHOUT("direct", "nothing can be written directly in " + folder_.path());
    }
  }

  std::string write(const OutputOptions& options, std::uint64_t size) {
    auto file = create_file(folder_.path("a"), options);
    std::string text = numbered_text(kMiB);
    for (std::uint64_t done = 0; done < size; done += kMiB) file->append(as_bytes(text));
    file->append(as_bytes("tail"));
    file->rewrite(13, as_bytes("head"));
    file->commit();
    return folder_.path("a");
  }

  TemporaryFolder folder_;
};

TEST_F(LargeFile, LeavesThePageCacheAlone) {
  EXPECT_LE(cached_bytes(write({.io = Io::direct}, 64 * kMiB)), kMiB);
  EXPECT_GE(cached_bytes(write({.io = Io::buffered}, 64 * kMiB)), 32 * kMiB);
}

TEST_F(LargeFile, AutomaticLeavesOnlyItsBeginningThere) {
  OutputOptions options = test::automatic_after(16 * kMiB, true, kMiB);
  EXPECT_LE(cached_bytes(write(options, 64 * kMiB)), 18 * kMiB);
}

TEST_F(LargeFile, TakesNoMoreOfTheDiskThanItHolds) {
  std::string path = write({.io = Io::direct}, 24 * kMiB);
  struct stat status {};
  ASSERT_EQ(::stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_size, static_cast<off_t>(24 * kMiB + 4));
  EXPECT_LE(status.st_blocks * 512, static_cast<off_t>(25 * kMiB));
}

TEST_F(LargeFile, IsAllocatedAheadInStepsThatGrowWithIt) {
  auto file = create_file(folder_.path("a"), {.io = Io::direct});
  std::string hidden = folder_.path(*folder_.names().begin());
  file->append(as_bytes("a few bytes"));
  file->flush();
  EXPECT_LE(std::filesystem::file_size(hidden), 64 * 1024U);
  std::string text = numbered_text(kMiB);
  for (int i = 0; i < 20; ++i) file->append(as_bytes(text));
  file->flush();
  EXPECT_GE(std::filesystem::file_size(hidden), 21 * kMiB);
  EXPECT_LE(std::filesystem::file_size(hidden), 48 * kMiB);
}

}  // namespace
}  // namespace kitbag
