// Directories of more files that overlap in time than are kept open: what is given must be as if
// all were, whatever the order, and however often a file is closed and opened again.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>

#include "kitbag/kitbag.h"
#include "tests/support/bags.h"

namespace kitbag::testing {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kFiles = 66;
/// More than a batch, and no number of batches, so that files are closed in the middle of one.
constexpr std::int64_t kMessagesOfFile = 310;

/// All files have times from begin to end; some times come twice in a file, and in two files.
std::vector<TestMessage> crossing_messages() {
  std::vector<TestMessage> messages;
  for (std::int64_t file = 0; file < kFiles; ++file) {
    for (std::int64_t i = 0; i < kMessagesOfFile; ++i) {
      std::int64_t time = 1'000 + (i / 2 * 2) * kFiles + file / 2;
      messages.push_back({static_cast<std::uint32_t>(i % 3), time,
                          std::to_string(file) + '.' + std::to_string(i)});
    }
  }
  return messages;
}

std::vector<TestMessage> in_time(std::vector<TestMessage> messages) {
  std::stable_sort(messages.begin(), messages.end(),
                   [](const auto& a, const auto& b) { return a.time_ns < b.time_ns; });
  return messages;
}

class ManyMembers : public ::testing::TestWithParam<FormatCase> {
 protected:
  ManyMembers()
      : messages_(crossing_messages()),
        stored_(GetParam().format, GetParam().options(2'000, 1), messages_, GetParam().channels(),
                kMessagesOfFile) {}

  std::vector<TestMessage> read(const Query& query = {}) const {
    return read_messages(*stored_.open(), query);
  }

  std::vector<TestMessage> messages_;
  StoredBag stored_;
};

TEST_P(ManyMembers, AreReadInTime) {
  EXPECT_EQ(read(), in_time(messages_));
}

TEST_P(ManyMembers, AreReadInReverse) {
  auto expected = in_time(messages_);
  std::reverse(expected.begin(), expected.end());
  Query query;
  query.order = Order::reverse_time;
  EXPECT_EQ(read(query), expected);
}

TEST_P(ManyMembers, ASelectionAndAStretchOfTimeAreGiven) {
  Query query;
  query.select.topics = {"/a"};
  query.begin = from_ns(5'000);
  query.end = from_ns(15'000);
  auto expected = in_time(messages_);
  std::erase_if(expected, [](const TestMessage& message) {
    return message.channel != 0 || message.time_ns < 5'000 || message.time_ns >= 15'000;
  });
  EXPECT_EQ(read(query), expected);
}

TEST_P(ManyMembers, NthAndCountAreOfTheWhole) {
  auto all = in_time(messages_);
  auto at = all.begin() + 7'000;
  Query query;
  query.nth = 7'000;
  query.count = 100;
  EXPECT_EQ(read(query), std::vector<TestMessage>(at, at + 100));
}

TEST_P(ManyMembers, DamageCostsTheMessagesThatItHitsAndIsToldOnce) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(stored_.path())) {
    if (entry.path().extension() != ".yaml") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  auto bytes = file_bytes(files[30]);
  auto third = static_cast<std::ptrdiff_t>(bytes.size() / 3);
  std::fill_n(bytes.begin() + third, third / 2, std::byte{0xFF});
  std::ofstream(files[30], std::ios::binary)
      .write(as_text(bytes).data(), static_cast<std::streamsize>(bytes.size()));
  std::map<std::string, int> reported;
  auto bag = stored_.open({.on_problem = [&](const Error& error) { ++reported[error.what()]; }});
  auto found = read_messages(*bag);
  EXPECT_FALSE(reported.empty());
  for (const auto& [what, times] : reported) EXPECT_LE(times, 2) << what;  // opened, and read
  EXPECT_LT(found.size(), messages_.size());
  EXPECT_GE(found.size(), messages_.size() - kMessagesOfFile);  // the others have all of theirs
  auto key = [](const TestMessage& message) { return std::pair(message.time_ns, message.payload); };
  std::map<std::pair<std::int64_t, std::string>, int> times;
  for (const TestMessage& message : found) EXPECT_EQ(++times[key(message)], 1);
}

std::vector<FormatCase> formats_of_members() {
  return cases_that(writable_formats(), [](const FormatCase& one) {
    return one.is_newest() && one.compression == "none";
  });
}

INSTANTIATE_TEST_SUITE_P(Formats, ManyMembers, ::testing::ValuesIn(formats_of_members()),
                         [](const auto& one) { return std::string(one.param.format.name); });

}  // namespace
}  // namespace kitbag::testing
