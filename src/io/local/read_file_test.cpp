#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <fstream>
#include <thread>

#include "io/file_slice.h"
#include "io/posix.h"
#include "kitbag/error.h"
#include "kitbag/file.h"
#include "tests/support/skip_or_fail.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/thrown_by.h"

namespace kitbag {
namespace {

using testing::HasSubstr;

std::string text_at(const ReadFile& file, std::uint64_t offset, std::size_t count) {
  std::vector<std::byte> bytes(count);
  bytes.resize(file.read(offset, bytes));
  return std::string(as_text(bytes));
}

Error open_refusal(const std::string& path) {
  return test::thrown_by([&] { open_file(path); });
}

TEST(OpenFile, ReadsAtOffsets) {
  TemporaryFolder folder;
  auto file = open_file(folder.write("a", "0123456789"));
  EXPECT_EQ(file->size(), 10U);
  EXPECT_EQ(text_at(*file, 0, 4), "0123");
  EXPECT_EQ(text_at(*file, 7, 3), "789");
  EXPECT_EQ(text_at(*file, 0, 10), "0123456789");
}

TEST(OpenFile, GivesLessOnlyAtTheEnd) {
  TemporaryFolder folder;
  auto file = open_file(folder.write("a", "0123456789"));
  EXPECT_EQ(text_at(*file, 8, 100), "89");
  EXPECT_EQ(text_at(*file, 10, 1), "");
  EXPECT_EQ(text_at(*file, 1000, 1), "");
  EXPECT_EQ(text_at(*file, INT64_MAX, 1), "");
  EXPECT_EQ(text_at(*file, UINT64_MAX, 8), "");
  EXPECT_EQ(text_at(*file, 0, 0), "");
}

TEST(OpenFile, AnEmptyFile) {
  TemporaryFolder folder;
  auto file = open_file(folder.write("a", ""));
  EXPECT_EQ(file->size(), 0U);
  EXPECT_EQ(text_at(*file, 0, 1), "");
}

TEST(OpenFile, AFileThatGrows) {
  TemporaryFolder folder;
  auto file = open_file(folder.write("a", "abc"));
  std::ofstream(folder.path("a"), std::ios::app) << "def";
  EXPECT_EQ(file->size(), 6U);
  EXPECT_EQ(text_at(*file, 2, 10), "cdef");
}

TEST(OpenFile, FollowsALink) {
  TemporaryFolder folder;
  folder.write("a", "abc");
  ASSERT_EQ(::symlink("a", folder.path("link").c_str()), 0);
  EXPECT_EQ(text_at(*open_file(folder.path("link")), 0, 3), "abc");
}

TEST(OpenFile, TellsWhatIsNotThere) {
  TemporaryFolder folder;
  Error error = open_refusal(folder.path("none.bag"));
  EXPECT_EQ(error.code(), ErrorCode::not_found);
  EXPECT_EQ(error.file(), folder.path("none.bag"));
  EXPECT_EQ(error.message(), "no such file");
  EXPECT_EQ(open_refusal(folder.path("no_folder/none.bag")).code(), ErrorCode::not_found);
}

TEST(OpenFile, TellsOfALinkThatLeadsNowhere) {
  TemporaryFolder folder;
  ASSERT_EQ(::symlink("none", folder.path("link.bag").c_str()), 0);
  Error error = open_refusal(folder.path("link.bag"));
  EXPECT_EQ(error.code(), ErrorCode::not_found);
  EXPECT_EQ(error.message(), "the link leads nowhere");
}

TEST(OpenFile, TellsWhatIsNoFile) {
  TemporaryFolder folder;
  Error error = open_refusal(folder.path());
  EXPECT_EQ(error.code(), ErrorCode::io);
  EXPECT_THAT(error.what(), HasSubstr("is a directory"));
  EXPECT_THAT(open_refusal("/dev/null").what(), HasSubstr("not a regular file"));
  folder.write("a", "abc");
  EXPECT_EQ(open_refusal(folder.path("a/b")).code(), ErrorCode::io);
}

TEST(OpenFile, DoesNotWaitForAPipe) {
  TemporaryFolder folder;
  ASSERT_EQ(::mkfifo(folder.path("pipe").c_str(), 0600), 0);
  EXPECT_THAT(open_refusal(folder.path("pipe")).what(), HasSubstr("not a regular file"));
}

TEST(OpenFile, TellsThatPermissionIsMissing) {
  TemporaryFolder folder;
  folder.write("a", "abc");
  ASSERT_EQ(::chmod(folder.path("a").c_str(), 0), 0);
  WithoutPrivileges nobody(folder, 0755);
  Error error = open_refusal(folder.path("a"));
  EXPECT_EQ(error.code(), ErrorCode::io);
  EXPECT_THAT(error.what(), HasSubstr("permission denied"));
}

TEST(MemoryFile, ReadsAtOffsets) {
  auto file = memory_file(as_bytes("0123456789"));
  EXPECT_EQ(file->size(), 10U);
  EXPECT_EQ(text_at(*file, 3, 4), "3456");
  EXPECT_EQ(text_at(*file, 8, 100), "89");
  EXPECT_EQ(text_at(*file, 10, 1), "");
  EXPECT_EQ(text_at(*file, UINT64_MAX, 1), "");
  EXPECT_EQ(memory_file({})->size(), 0U);
  EXPECT_EQ(text_at(*memory_file({}), 0, 5), "");
}

TEST(MemoryFile, KeepsItsOwner) {
  auto text = std::make_shared<std::string>("abc");
  std::weak_ptr<std::string> watch = text;
  auto file = memory_file(as_bytes(*text), text);
  text.reset();
  EXPECT_EQ(text_at(*file, 0, 3), "abc");
  file.reset();
  EXPECT_TRUE(watch.expired());
}

/// How much of the file is in memory. Reading it without waiting for the disk would tell this too,
/// but it makes the system fetch more of the file.
std::size_t cached_bytes(const std::string& path, std::size_t size) {
  Descriptor file = open_descriptor(path, O_RDONLY);
  void* mapped = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, file.get(), 0);
  if (mapped == MAP_FAILED) throw system_error("map the file", errno, path);
  auto page_bytes = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  std::vector<unsigned char> pages(size / page_bytes);
  int failed = ::mincore(mapped, size, pages.data());
  ::munmap(mapped, size);
  if (failed) throw system_error("ask for the file's pages", errno, path);
  auto is_cached = [](unsigned char page) { return (page & 1) != 0; };
  return page_bytes * static_cast<std::size_t>(std::ranges::count_if(pages, is_cached));
}

TEST(ReadFile, OfAFileThatIsNotInMemoryWhatIsSaidToComeNextIsFetched) {
  constexpr std::size_t kSize = 16 << 20;
  TemporaryFolder folder;
  std::string path = folder.path("a");
  std::vector<std::byte> bytes(1 << 20);
  std::ofstream(path) << std::string(kSize, 'x');
  {
    Descriptor file = open_descriptor(path, O_RDWR);
    ::fsync(file.get());
    ::posix_fadvise(file.get(), 0, 0, POSIX_FADV_DONTNEED);
  }
  if (cached_bytes(path, kSize) == kSize) {
    KITBAG_SKIP_WITHOUT("disk", "files are always in memory in " + folder.path());
  }
  auto file = open_file(path);
  file->prefetch(0, kSize);  // nobody has waited for this file yet: nothing is done
  EXPECT_LT(cached_bytes(path, kSize), kSize);
  EXPECT_EQ(file->read(kSize - bytes.size(), bytes), bytes.size());
  EXPECT_EQ(bytes[0], std::byte{'x'});
  file->prefetch(0, kSize);
  auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (cached_bytes(path, kSize) < kSize) {
    ASSERT_LT(std::chrono::steady_clock::now(), patience);
    std::this_thread::yield();
  }
  FileSlice(file, 1, 2).prefetch(0, 10);  // within its bounds, and harmless
}

}  // namespace
}  // namespace kitbag
