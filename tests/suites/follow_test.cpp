// Every format can be followed while it is written: nothing is missed, nothing comes twice.

#include <gtest/gtest.h>

#include <filesystem>

#include "kitbag/kitbag.h"
#include "tests/support/bags.h"
#include "tests/support/thrown_by.h"

namespace kitbag::testing {
namespace {

/// Waiting takes no time: it is another time afterwards.
class LeapingClock final : public Clock {
 public:
  Time wall() const override { return from_ns(0); }
  SteadyTime steady() const override { return now_; }
  bool wait(std::unique_lock<std::mutex>&, std::condition_variable_any&, const Wait& wait,
            const std::function<bool()>& condition) override {
    if (wait.until != kNever) now_ = std::max(now_, wait.until);
    return condition();
  }

 private:
  SteadyTime now_{};
};

std::vector<TestMessage> numbered_messages(int begin, int end) {
  std::vector<TestMessage> messages;
  for (int i = begin; i < end; ++i) {
    messages.push_back(
        {static_cast<std::uint32_t>(i % 3), 1'000 + i, "payload " + std::to_string(i)});
  }
  return messages;
}

class FollowSuite : public ::testing::TestWithParam<FormatCase> {
 protected:
  std::string path() const { return folder_ / ("bag" + std::string(GetParam().format.extension)); }

  std::unique_ptr<Writer> begin() { return begin(path()); }
  std::unique_ptr<Writer> begin(const std::string& path) {
    WriteOptions options = GetParam().options(400, 1);
    options.is_visible = true;
    options.io = Io::buffered;
    options.format = GetParam().format.name;
    return session_.create(path, options);
  }

  void add(Writer& writer, int begin, int end) {
    write_messages(writer, channels_, numbered_messages(begin, end));
    writer.flush();
  }

  std::unique_ptr<Source> follower(std::uint64_t count = UINT64_MAX) {
    return follower(path(), count);
  }
  std::unique_ptr<Source> follower(const std::string& path, std::uint64_t count = UINT64_MAX) {
    Query query;
    query.count = count;
    ReadOptions options;
    options.on_problem = [](const Error&) {};
    return follow(path, query, options, session_.with_clock(clock_));
  }

  /// Takes what is there; false: the end.
  bool take(Source& source, std::vector<TestMessage>& into) {
    SteadyTime until = clock_->steady() + std::chrono::seconds(10);
    for (Batch batch; clock_->steady() < until; batch.clear()) {
      if (!source.read(batch, Wait{{}, until})) return false;
      for (const Message& message : std::as_const(batch).messages()) {
        EXPECT_EQ((*batch.channels)[message.channel->slot].get(), message.channel);
        into.push_back(
            {message.channel->slot, to_ns(message.log_time), std::string(as_text(message.data))});
      }
    }
    return true;
  }

  TempFolder folder_;
  Session session_;
  ChannelsPtr channels_ = GetParam().channels();
  ClockPtr clock_ = std::make_shared<LeapingClock>();
};

TEST_P(FollowSuite, GivesWhatComesOnceAndEndsWithTheBag) {
  auto writer = begin();
  add(*writer, 0, 30);
  auto source = follower();
  std::vector<TestMessage> given;
  ASSERT_TRUE(take(*source, given));
  for (int i = 30; i < 90; i += 20) {
    add(*writer, i, i + 20);
    ASSERT_TRUE(take(*source, given));
    EXPECT_LE(given.size(), static_cast<std::size_t>(i + 20));
  }
  std::size_t before = given.size();
  ASSERT_TRUE(take(*source, given));
  EXPECT_EQ(given.size(), before) << "nothing came";
  writer->close();
  EXPECT_EQ(take(*source, given), !GetParam().version.is_indexed);
  EXPECT_EQ(given, numbered_messages(0, 90));
}

TEST_P(FollowSuite, EndsAfterTheCountAskedFor) {
  auto writer = begin();
  add(*writer, 0, 10);
  auto source = follower(25);
  std::vector<TestMessage> given;
  take(*source, given);
  add(*writer, 10, 40);
  writer->close();
  EXPECT_FALSE(take(*source, given));
  EXPECT_EQ(given, numbered_messages(0, 25));
}

/// What a recorder does when it completes a file.
TEST_P(FollowSuite, GivesWhatCameBeforeTheBagGotItsFinalName) {
  std::string active = path() + kActiveSuffix;
  auto writer = begin(active);
  add(*writer, 0, 10);
  auto source = follower(active);
  std::vector<TestMessage> given;
  ASSERT_TRUE(take(*source, given));
  add(*writer, 10, 40);
  writer->close();
  std::filesystem::rename(active, path());
  take(*source, given);
  EXPECT_EQ(given, numbered_messages(0, 40));
}

TEST_P(FollowSuite, EndsWhenItsBagHasGone) {
  auto writer = begin();
  add(*writer, 0, 10);
  auto source = follower();
  std::vector<TestMessage> given;
  ASSERT_TRUE(take(*source, given));
  add(*writer, 10, 40);
  std::filesystem::remove(path());
  EXPECT_FALSE(take(*source, given));
  EXPECT_ERROR(not_found, follower());
}

/// A file that becomes a longer one after some calls.
class GrowingFile final : public ReadFile {
 public:
  GrowingFile(const std::vector<std::byte>& before, const std::vector<std::byte>& after, int calls)
      : before_(memory_file(before)), after_(memory_file(after)), calls_left_(calls) {}

  /// Returns whether it had not grown yet.
  bool grow() { return std::exchange(calls_left_, 0) > 0; }

  std::uint64_t size() const override { return next().size(); }
  std::size_t read(std::uint64_t offset, std::span<std::byte> into) const override {
    return next().read(offset, into);
  }

 private:
  const ReadFile& next() const {
    if (calls_left_ == 0) return *after_;
    --calls_left_;
    return *before_;
  }

  std::shared_ptr<const ReadFile> before_;
  std::shared_ptr<const ReadFile> after_;
  mutable int calls_left_;
};

std::vector<std::byte> content_of(const std::string& path) {
  auto file = open_file(path);
  std::vector<std::byte> bytes(file->size());
  bytes.resize(file->read(0, bytes));
  return bytes;
}

/// Whenever a bag is completed while it is opened: it is opened again, or known to be complete.
/// Otherwise who follows it would wait for ever.
TEST_P(FollowSuite, ABagThatGrowsWhileItIsOpenedIsNotTakenForUnchanged) {
  auto writer = begin();
  add(*writer, 0, 30);
  const std::vector<std::byte> before = content_of(path());
  add(*writer, 30, 60);
  writer->close();
  const std::vector<std::byte> after = content_of(path());
  ReadOptions options;
  options.on_problem = [](const Error&) {};
  bool has_grown_later = false;
  for (int calls = 1; !has_grown_later; ++calls) {
    auto file = std::make_shared<GrowingFile>(before, after, calls);
    std::size_t head = std::min(before.size(), Input::kHeadBytes);
    Input input{path(), {before.begin(), before.begin() + static_cast<std::ptrdiff_t>(head)}, file};
    BagPtr bag = GetParam().format.open(input, options, session_);
    has_grown_later = file->grow();
    EXPECT_FALSE(bag->growth() == Growth::unchanged)
        << "it grew after " << calls << " calls; Summary::size_bytes must be what the file had "
        << "before it was read";
  }
}

/// Directories of files of the format, as a recorder writes them.
class FollowOfDirectory : public FollowSuite {
 protected:
  std::string directory() const { return folder_ / "bag/"; }

  WriteOptions written(const std::string& compression) const {
    WriteOptions options = GetParam().options(400, 1);
    options.is_visible = true;
    options.io = Io::buffered;
    options.compression = compression;
    return options;
  }
};

TEST_P(FollowOfDirectory, GivesAFileOnceThatIsCompressedWhenItIsComplete) {
  auto writer = session_.create(directory(), written("zstd_file"));
  add(*writer, 0, 30);
  auto source = follower(directory());
  std::vector<TestMessage> given;
  ASSERT_TRUE(take(*source, given));
  EXPECT_GT(given.size(), 0U);
  add(*writer, 30, 60);
  writer->close();
  take(*source, given);
  EXPECT_EQ(given, numbered_messages(0, 60));
}

TEST_P(FollowOfDirectory, LeavesRepeatsOutAlsoWhenTheFirstFileHasGone) {
  auto first = session_.create(directory(), written("none"));
  add(*first, 0, 30);
  first->close();
  auto repeated = std::make_shared<Channel>(*channels_->front());
  repeated->metadata[kRepeatedKey] = "1";
  repeated->slot = static_cast<std::uint32_t>(channels_->size());
  Channels with_repeats = *channels_;
  with_repeats.push_back(repeated);
  auto writer = session_.append(directory(), written("none"));
  write_messages(*writer, std::make_shared<const Channels>(with_repeats),
                 {{repeated->slot, 1'000, "payload 0"}});
  add(*writer, 30, 60);
  auto source = follower(directory());
  std::vector<TestMessage> given;
  ASSERT_TRUE(take(*source, given));
  EXPECT_GT(given.size(), 30U);
  std::filesystem::remove(directory() + "bag_0" + std::string(GetParam().format.extension));
  add(*writer, 60, 90);
  take(*source, given);
  writer->close();
  take(*source, given);
  EXPECT_EQ(given, numbered_messages(0, 90));
}

bool is_plain_mcap(const FormatCase& one) {
  return one.format.name == "mcap" && one.is_newest() && one.compression == "none";
}
INSTANTIATE_TEST_SUITE_P(Formats, FollowOfDirectory,
                         ::testing::ValuesIn(cases_that(writable_formats(), is_plain_mcap)),
                         case_name);

INSTANTIATE_TEST_SUITE_P(Formats, FollowSuite, ::testing::ValuesIn(writable_formats()), case_name);

}  // namespace
}  // namespace kitbag::testing
