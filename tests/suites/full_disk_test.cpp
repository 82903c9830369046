// Every format, written to a disk that becomes full: an error that says so, nothing under the
// target's name, and what stood there before as it was.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <random>

#include "kitbag/kitbag.h"
#include "tests/support/bags.h"
#include "tests/support/mounted_folder.h"
#include "tests/support/skip_or_fail.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/thrown_by.h"

namespace kitbag::testing {
namespace {

std::vector<TestMessage> too_many_messages() {
  std::mt19937 random(5);
  std::vector<TestMessage> messages;
  for (std::uint32_t i = 0; i < 400; ++i) {
    std::string payload(10'000, '\0');
    for (char& c : payload) c = static_cast<char>(random() % 256);
    messages.push_back({i % 3, 1'000'000'000 + i, payload});
  }
  return messages;
}

class FullDisk : public ::testing::TestWithParam<FormatCase> {
 protected:
  FullDisk() : mounted_(folder_.path(), "tmpfs", "size=1m") {}

  std::string path(const std::string& name) const {
    return folder_.path(name) + (GetParam().is_directory ? "/" : "");
  }
  std::unique_ptr<Writer> create_at(const std::string& path, WriteOptions options) const {
    options.format = GetParam().format.name;
    return session_.create(path, options);
  }
  void write_all(Writer& writer) const {
    write_messages(writer, GetParam().channels(), too_many_messages());
    writer.close();
  }

  TemporaryFolder folder_;
  test::MountedFolder mounted_;
  Session session_;
};

TEST_P(FullDisk, IsAnErrorAndLeavesNothing) {
  if (!mounted_) KITBAG_SKIP_WITHOUT("mount", "only root can mount a small disk");
  auto writer = create_at(path("bag"), GetParam().options(100'000));
  try {
    write_all(*writer);
    FAIL() << "4 MB do not fit into 1 MB";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::io);
    EXPECT_EQ(errno_of(error), ENOSPC);
    EXPECT_THAT(error.what(), ::testing::HasSubstr("no space left"));
    EXPECT_THAT(error.what(), ::testing::HasSubstr(folder_.path("bag")));
  }
  EXPECT_ERROR(io, writer->close()) << "errors stay";
  writer.reset();
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
}

class FullDiskWhileAppending : public FullDisk {};

TEST_P(FullDiskWhileAppending, KeepsTheBagThatWasThere) {
  if (!mounted_) KITBAG_SKIP_WITHOUT("mount", "only root can mount a small disk");
  std::vector<TestMessage> few = {{0, 1'000, "a"}, {1, 1'001, "b"}, {2, 1'002, "c"}};
  auto writer = create_at(path("bag"), GetParam().options(100'000));
  write_messages(*writer, GetParam().channels(), few);
  writer->close();
  writer = session_.append(path("bag"), GetParam().options(100'000));
  EXPECT_ERROR(io, write_all(*writer));
  writer.reset();
  EXPECT_EQ(read_messages(*session_.open(path("bag"))), few);
}

INSTANTIATE_TEST_SUITE_P(Formats, FullDisk, ::testing::ValuesIn(formats_and_directories()),
                         case_name);
INSTANTIATE_TEST_SUITE_P(Formats, FullDiskWhileAppending,
                         ::testing::ValuesIn(cases_that(formats_and_directories(),
                                                        std::mem_fn(&FormatCase::can_append))),
                         case_name);

}  // namespace
}  // namespace kitbag::testing
