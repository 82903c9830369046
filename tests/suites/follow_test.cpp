// Every format can be followed while it is written: nothing is missed, nothing comes twice.

#include <gtest/gtest.h>

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

  std::unique_ptr<Writer> begin() {
    WriteOptions options = GetParam().options(400, 1);
    options.is_visible = true;
    options.io = Io::buffered;
    options.format = GetParam().format.name;
    return session_.create(path(), options);
  }

  void add(Writer& writer, int begin, int end) {
    write_messages(writer, channels_, numbered_messages(begin, end));
    writer.flush();
  }

  std::unique_ptr<Source> follower(std::uint64_t count = UINT64_MAX) {
    Query query;
    query.count = count;
    ReadOptions options;
    options.on_problem = [](const Error&) {};
    return follow(path(), query, options, session_.with_clock(clock_));
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

INSTANTIATE_TEST_SUITE_P(Formats, FollowSuite, ::testing::ValuesIn(writable_formats()), case_name);

}  // namespace
}  // namespace kitbag::testing
