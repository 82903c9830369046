// Directories whose metadata.yaml or whose files are damaged: what is whole in the files is given.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "kitbag/kitbag.h"
#include "tests/support/bags.h"

namespace kitbag::testing {
namespace {

namespace fs = std::filesystem;

std::vector<TestMessage> split_messages() {
  std::vector<TestMessage> messages;
  for (std::uint32_t i = 0; i < 150; ++i) messages.push_back({i % 3, 1'000 + i, std::to_string(i)});
  return messages;
}

void overwrite(const fs::path& path, ByteView bytes) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(as_text(bytes).data(), static_cast<std::streamsize>(bytes.size()));
}

class DirectoryDamage : public ::testing::TestWithParam<FormatCase> {
 protected:
  DirectoryDamage()
      : messages_(split_messages()),
        stored_(GetParam().store(GetParam().options(1'000, 1), messages_)) {}

  struct Outcome {
    std::size_t problems = 0;
    std::vector<TestMessage> messages;
  };

  /// Refused: a problem, and no messages.
  Outcome read() const {
    Outcome outcome;
    try {
      auto bag = stored_.open({.on_problem = [&](const Error&) { ++outcome.problems; }});
      outcome.messages = read_messages(*bag);
    } catch (const Error&) {
      outcome = {1, {}};
    }
    return outcome;
  }

  std::vector<fs::path> members() const {
    std::vector<fs::path> paths;
    for (const auto& entry : fs::directory_iterator(stored_.path())) {
      if (entry.path().extension() != ".yaml") paths.push_back(entry.path());
    }
    std::sort(paths.begin(), paths.end());
    return paths;
  }

  fs::path metadata() const { return fs::path(stored_.path()) / "metadata.yaml"; }

  std::vector<TestMessage> messages_;
  StoredBag stored_;
};

TEST_P(DirectoryDamage, AMetadataFileCutAnywhereLosesNoMessage) {
  auto whole = file_bytes(metadata());
  for (std::size_t size = 0; size < whole.size(); size += kIsSlow ? 7 : 1) {
    overwrite(metadata(), ByteView(whole).first(size));
    Outcome outcome = read();
    ASSERT_EQ(outcome.messages, messages_) << "cut at " << size;
  }
}

TEST_P(DirectoryDamage, AMetadataFileWithAnyByteFlippedLosesNoMessageInSilence) {
  auto whole = file_bytes(metadata());
  for (std::byte mask : kMasks) {
    for (std::size_t at = 0; at < whole.size(); at += kIsSlow ? 7 : 1) {
      if (!flips_at(at, mask)) continue;
      auto flipped = whole;
      flipped[at] ^= mask;
      overwrite(metadata(), flipped);
      Outcome outcome = read();
      if (outcome.problems == 0) {
        ASSERT_EQ(outcome.messages.size(), messages_.size()) << "flipped at " << at;
      }
    }
  }
}

TEST_P(DirectoryDamage, ACutFileLeavesTheOthersWhole) {
  auto paths = members();
  ASSERT_EQ(paths.size(), 3U);
  auto whole = file_bytes(paths[1]);
  for (std::size_t size = 0; size < whole.size(); size += whole.size() / 40 + 1) {
    overwrite(paths[1], ByteView(whole).first(size));
    Outcome outcome = read();
    ASSERT_GT(outcome.problems, 0U) << "cut at " << size;
    if (outcome.messages.empty()) continue;  // refused with a word
    ASSERT_GE(outcome.messages.size(), messages_.size() - 70) << "cut at " << size;
  }
}

TEST_P(DirectoryDamage, AMissingFileIsTold) {
  fs::remove(members()[1]);
  Outcome outcome = read();
  EXPECT_GT(outcome.problems, 0U);
  EXPECT_EQ(outcome.messages.size(), messages_.size() - 70);
}

/// Of files of each format; and of files compressed as a whole, of one format.
std::vector<FormatCase> directories() {
  auto cases = formats_and_directories();
  std::string_view first = cases.front().format.name;
  return cases_that(std::move(cases), [first](const FormatCase& one) {
    bool is_packed = one.compression == "zstd_file" && one.format.name == first;
    return one.is_directory && (one.compression == "none" || is_packed);
  });
}

INSTANTIATE_TEST_SUITE_P(Formats, DirectoryDamage, ::testing::ValuesIn(directories()), case_name);

}  // namespace
}  // namespace kitbag::testing
