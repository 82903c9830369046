#include "io/output/output.h"

#include <gmock/gmock.h>
#include <signal.h>

#include <random>

#include "io/local/write_file.h"
#include "io/output/test_output.h"
#include "tests/support/skip_or_fail.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/thrown_by.h"

// Every way to write a file against one model: a string. Whatever the way, whatever the calls, the
// file is the string.

namespace kitbag {
namespace {

using test::FileSizeLimit;
using test::OutputWay;
using test::sample_text;
using test::thrown_by;
using testing::HasSubstr;
using testing::IsEmpty;

class EveryWay : public testing::TestWithParam<OutputWay> {
 protected:
  void SetUp() override {
    if (std::string_view kind = GetParam().kind; kind != "") {
      auto here = test::kind_here(GetParam().options, folder_.path());
      if (here != kind) {
        KITBAG_SKIP_WITHOUT(kind == "io_uring" ? "io_uring" : "direct",
                            "files are written " + std::string(here) + " in " + folder_.path());
      }
    }
  }

  std::unique_ptr<WriteFile> create() const {
    return create_file(folder_.path("a"), GetParam().options);
  }
  std::unique_ptr<WriteFile> append_to(const std::string& old) const {
    return append_file(folder_.write("a", old), GetParam().options);
  }
  /// The file being written, up to `size`: behind that it may have been allocated ahead.
  std::string written(std::size_t size) const {
    return test::file_text(folder_.path(*folder_.names().begin())).substr(0, size);
  }

  TemporaryFolder folder_;
};

INSTANTIATE_TEST_SUITE_P(Ways, EveryWay, testing::ValuesIn(test::all_ways()),
                         [](const auto& way) { return std::string(way.param.name); });

/// Random calls, and what the file must hold after them.
class RandomCalls {
 public:
  RandomCalls(WriteFile& file, std::string& expected, unsigned seed)
      : file_(file), expected_(expected), random_(seed) {}

  /// True when the file must hold all of it now.
  bool step() {
    switch (below(10)) {
      case 0:
        file_.flush();
        return true;
      case 1:
        if (below(4) > 0) return false;
        file_.sync();
        return true;
      case 2:
      case 3:
        rewrite();
        return false;
      case 4:
        append_many();
        return false;
      default:
        append(some_size());
        return false;
    }
  }

 private:
  std::size_t below(std::size_t limit) { return random_() % limit; }

  /// Mostly small; else about the size of pages and blocks.
  std::size_t some_size() {
    constexpr std::size_t kBorders[] = {4096, 8192, 12'288, 65'536};
    if (below(4) > 0) return below(3000);
    if (below(20) == 0) return (1 << 20) - 3 + below(6);
    return kBorders[below(std::size(kBorders))] - 3 + below(6);
  }

  void append(std::size_t size) {
    std::string_view piece = sample_text(size, below(1000));
    file_.append(as_bytes(piece));
    expected_ += piece;
  }

  void append_many() {
    std::string_view text = sample_text(some_size() + 100, below(1000));
    std::vector<ByteView> pieces;
    for (std::size_t at = 0; at < text.size();) {
      std::size_t part = std::min(below(text.size() / 3), text.size() - at);
      pieces.push_back(as_bytes(text).subspan(at, part));
      at += part;
    }
    file_.append(pieces);
    expected_ += text;
  }

  void rewrite() {
    std::size_t size = std::min(below(2) == 0 ? below(50) : some_size(), expected_.size());
    std::size_t room = expected_.size() - size;
    std::size_t near_end = room - std::min(room, below(10'000));
    std::size_t at = below(2) == 0 ? near_end : below(room + 1);
    std::string piece(size, static_cast<char>('A' + below(26)));
    file_.rewrite(at, as_bytes(piece));
    expected_.replace(at, size, piece);
  }

  WriteFile& file_;
  std::string& expected_;
  std::minstd_rand random_;
};

TEST_P(EveryWay, GivesTheSameFileForAnyCalls) {
  for (unsigned seed = 1; seed <= 4; ++seed) {
    std::string expected;
    auto file = create();
    RandomCalls calls(*file, expected, seed);
    for (int step = 0; step < 120; ++step) {
      if (calls.step()) {
        ASSERT_TRUE(written(expected.size()) == expected) << "seed " << seed << " step " << step;
      }
      ASSERT_EQ(file->size(), expected.size());
    }
    file->commit();
    file.reset();
    ASSERT_TRUE(test::file_text(folder_.path("a")) == expected) << "seed " << seed;
    std::filesystem::remove(folder_.path("a"));
  }
}

TEST_P(EveryWay, AppendsWhereverTheOldFileEnds) {
  std::vector<std::size_t> sizes{0, 1, 4095, 4096, 4097, 8191, 8192, 12'289, 1 << 20};
  for (unsigned i = 0; i < sizes.size(); ++i) {
    std::string expected(sample_text(sizes[i]));
    auto file = append_to(expected);
    EXPECT_EQ(file->size(), expected.size());
    RandomCalls calls(*file, expected, i + 50);
    for (int step = 0; step < 40; ++step) {
      if (calls.step()) {
        ASSERT_TRUE(written(expected.size()) == expected) << sizes[i];
      }
    }
    file->commit();
    file.reset();
    ASSERT_TRUE(test::file_text(folder_.path("a")) == expected) << sizes[i];
  }
}

TEST_P(EveryWay, TheOldFileComesBackWhenGivenUp) {
  for (std::size_t size : std::vector<std::size_t>{0, 1, 4096, 4097, 100'000}) {
    std::string old(sample_text(size));
    std::string changed = old;
    auto file = append_to(old);
    RandomCalls calls(*file, changed, static_cast<unsigned>(size));
    for (int step = 0; step < 40; ++step) calls.step();
    file->append(as_bytes(sample_text(500'000)));  // under way when it goes
    file.reset();
    ASSERT_TRUE(test::file_text(folder_.path("a")) == old) << size;
  }
}

TEST_P(EveryWay, LeavesNothingWhenGivenUp) {
  create()->append(as_bytes(sample_text(2'500'000)));
  EXPECT_THAT(folder_.names(), IsEmpty());
}

TEST_P(EveryWay, EverySizeAroundABorder) {
  const DirectLimits& direct = GetParam().options.direct;
  std::size_t block = direct.block_bytes;
  for (std::size_t border : {std::size_t{1}, std::size_t{4096}, block, direct.blocks * block}) {
    for (std::size_t size : {border - 1, border, border + 1}) {
      std::string_view text = sample_text(size);
      auto file = create();
      file->append(as_bytes(text));
      file->commit();
      ASSERT_TRUE(test::file_text(folder_.path("a")) == text) << size;
    }
  }
}

TEST_P(EveryWay, RefusesToRewriteWhatWasNeverWritten) {
  for (std::uint64_t offset : {std::uint64_t{299'999}, std::uint64_t{300'001}, UINT64_MAX}) {
    auto file = create();
    file->append(as_bytes(sample_text(300'000)));
    EXPECT_EQ(thrown_by([&] { file->rewrite(offset, as_bytes("xy")); }).code(), ErrorCode::invalid);
  }
}

TEST_P(EveryWay, ManyFilesAtOnceDoNotMeet) {
  std::vector<std::unique_ptr<WriteFile>> files;
  std::string_view text = sample_text(500'000);
  for (int i = 0; i < 5; ++i) {
    files.push_back(create_file(folder_.path(std::to_string(i)), GetParam().options));
  }
  for (std::size_t at = 0; at < text.size(); at += 50'000) {
    for (auto& file : files) file->append(as_bytes(text).subspan(at, 50'000));
  }
  for (auto& file : files) file->commit();
  for (int i = 0; i < 5; ++i)
    EXPECT_TRUE(test::file_text(folder_.path(std::to_string(i))) == text) << i;
}

/// Appends until it is refused, and asks again in every way.
void expect_one_lasting_error(WriteFile& file, const std::string& cause) {
  std::string_view text = sample_text(300'000);
  Error first = thrown_by([&] {
    for (int i = 0; i < 200; ++i) file.append(as_bytes(text));
  });
  EXPECT_EQ(first.code(), ErrorCode::io);
  EXPECT_THAT(first.what(), HasSubstr("cannot write: " + cause));
  for (int i = 0; i < 2; ++i) {
    EXPECT_STREQ(thrown_by([&] { file.append(as_bytes("x")); }).what(), first.what());
    EXPECT_STREQ(thrown_by([&] { file.rewrite(0, as_bytes("x")); }).what(), first.what());
    EXPECT_STREQ(thrown_by([&] { file.flush(); }).what(), first.what());
    EXPECT_STREQ(thrown_by([&] { file.sync(); }).what(), first.what());
    EXPECT_STREQ(thrown_by([&] { file.commit(); }).what(), first.what());
  }
}

TEST_P(EveryWay, ALimitOfTheFileSizeIsToldOnceAndForAll) {
  FileSizeLimit limit(3 << 20);
  expect_one_lasting_error(*create(), "file too large");
  EXPECT_THAT(folder_.names(), IsEmpty());
}

volatile sig_atomic_t limit_signals = 0;

TEST_P(EveryWay, AFileAsLongAsTheLimitIsWrittenWithoutASignal) {
  for (std::size_t size : {3U << 20, (3U << 20) - 1000, 10'000U}) {
    FileSizeLimit limit(size);
    limit_signals = 0;
    ::signal(SIGXFSZ, [](int) { limit_signals = 1; });
    std::string_view text = sample_text(size);
    auto file = create();
    for (std::size_t at = 0; at < size; at += 100'000) {
      file->append(as_bytes(text.substr(at, 100'000)));
      file->flush();
    }
    file->commit();
    EXPECT_TRUE(test::file_text(folder_.path("a")) == text) << size;
    EXPECT_EQ(limit_signals, 0) << "it would end a process that does not expect it";
  }
}

TEST_P(EveryWay, AnOldFileSurvivesTheLimit) {
  std::string old(sample_text(50'001));
  auto file = append_to(old);
  {
    FileSizeLimit limit(1 << 20);
    file->rewrite(0, as_bytes("damage"));
    expect_one_lasting_error(*file, "file too large");
    file.reset();
  }
  EXPECT_TRUE(test::file_text(folder_.path("a")) == old);
}

TEST_P(EveryWay, AFullDiskIsToldOnceAndForAll) {
  test::MountedFolder mounted(folder_.path(), "tmpfs", "size=3m");
  if (!mounted) KITBAG_SKIP_WITHOUT("mount", "only root can mount a small disk");
  expect_one_lasting_error(*create(), "no space left on device");
  EXPECT_THAT(folder_.names(), IsEmpty());
  std::string old(sample_text(100'001));
  {
    auto file = append_to(old);
    expect_one_lasting_error(*file, "no space left on device");
  }
  EXPECT_TRUE(test::file_text(folder_.path("a")) == old);
}

TEST_P(EveryWay, AFullDiskThatTheLastBytesFillIsWritten) {
  test::MountedFolder mounted(folder_.path(), "tmpfs", "size=3m");
  if (!mounted) KITBAG_SKIP_WITHOUT("mount", "only root can mount a small disk");
  std::string_view text = sample_text(3 << 20);  // nothing is left to allocate ahead
  auto file = create();
  for (std::size_t at = 0; at < text.size(); at += 1 << 18) {
    file->append(as_bytes(text).subspan(at, 1 << 18));
  }
  file->commit();
  EXPECT_TRUE(test::file_text(folder_.path("a")) == text);
}

}  // namespace
}  // namespace kitbag
