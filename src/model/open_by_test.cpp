#include "model/open_by.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kitbag/error.h"
#include "kitbag/session.h"
#include "tests/support/thrown_by.h"

namespace kitbag {
namespace {

using test::thrown_by;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::uint64_t kPromised = 5;

/// What a plugin's bag does wrong.
struct Behaviour {
  std::uint64_t delivered = kPromised;
  bool is_index = true;
  std::vector<Loss> reported_at_open;
  std::vector<Loss> reported_in_reading;
};

/// Two channels in turn.
class CountedSource final : public Source {
 public:
  CountedSource(const Behaviour& behaviour, ChannelsPtr channels, OnProblem on_problem)
      : behaviour_(behaviour), channels_(std::move(channels)), on_problem_(std::move(on_problem)) {}

  ChannelsPtr channels() const override { return channels_; }
  bool read(Batch& batch, const Wait&) override {
    batch.channels = channels_;
    for (const Loss& loss : std::exchange(behaviour_.reported_in_reading, {})) {
      report(on_problem_, Error(ErrorCode::corrupt, "a chunk is damaged", "x", 7, loss));
    }
    for (; behaviour_.delivered > 0 && batch.messages().size() < 2; --behaviour_.delivered) {
      const ChannelPtr& channel = (*channels_)[behaviour_.delivered % 2];
      if (channel) batch.add({channel.get(), 0, 0, Time(), Time(), {}});
    }
    return !batch.empty();
  }

 private:
  Behaviour behaviour_;
  ChannelsPtr channels_;
  OnProblem on_problem_;
};

Behaviour behaviour;  // of the format, whose functions are plain ones

class CountedBag final : public Bag {
 public:
  explicit CountedBag(OnProblem on_problem) : on_problem_(std::move(on_problem)) {
    Channels channels;
    for (std::uint32_t slot = 0; slot < 2; ++slot) {
      auto channel = std::make_shared<Channel>();
      channel->topic = slot == 0 ? "/even" : "/odd";
      channel->slot = slot;
      channels.push_back(std::move(channel));
    }
    summary_.channels = std::make_shared<const Channels>(std::move(channels));
    summary_.message_counts = {2, 3};
    summary_.messages = kPromised;
    for (const Loss& loss : behaviour.reported_at_open) {
      report(on_problem_, Error(ErrorCode::corrupt, "the end is damaged", "x", 9, loss));
    }
  }
  const Summary& summary() const override { return summary_; }
  std::unique_ptr<Source> read_messages(const Query& query, const Wait& /*wait*/) const override {
    Channels channels = *summary_.channels;
    if (!query.select.topics.empty()) channels[0] = nullptr;  // /odd is selected
    return std::make_unique<CountedSource>(behaviour,
                                           std::make_shared<const Channels>(std::move(channels)),
                                           query.on_problem ? query.on_problem : on_problem_);
  }
  Promise promise() const override { return {summary_.message_counts, behaviour.is_index}; }

 private:
  OnProblem on_problem_;
  Summary summary_;
};

Query odd() {
  Query query;
  query.select.topics = {"/odd"};
  return query;
}

class OpenBy : public ::testing::Test {
 protected:
  void SetUp() override {
    behaviour = {};
    format_.open = [](const Input&, const ReadOptions& options, const Session&) -> BagPtr {
      return std::make_shared<CountedBag>(options.on_problem);
    };
  }
  std::uint64_t read_all(const Query& query = {}) {
    problems_.clear();
    ReadOptions options{.on_problem = [this](const Error& found) { problems_.push_back(found); }};
    auto source =
        open_by(format_, {.path = "x", .head = {}, .file = nullptr}, options, Session(Registry()))
            ->read(query);
    std::uint64_t messages = 0;
    for (Batch batch; source->read(batch, {}); batch.clear()) messages += batch.messages().size();
    Batch more;
    EXPECT_FALSE(source->read(more, {}));  // reports nothing a second time
    return messages;
  }

  Format format_;
  std::vector<Error> problems_;
};

TEST_F(OpenBy, WhatWasPromisedIsNotWorthAWord) {
  EXPECT_EQ(read_all(), kPromised);
  EXPECT_EQ(read_all(odd()), 3U);
  EXPECT_THAT(problems_, IsEmpty());
}

TEST_F(OpenBy, FewerThanPromisedAreLost) {
  behaviour.delivered = 3;
  EXPECT_EQ(read_all(), 3U);
  ASSERT_EQ(problems_.size(), 1U);
  EXPECT_EQ(problems_[0].code(), ErrorCode::corrupt);
  EXPECT_THAT(problems_[0].what(), HasSubstr("promises 5 messages, but 3 were read"));
  ASSERT_TRUE(problems_[0].loss());
  EXPECT_EQ(problems_[0].loss()->messages, 2U);
}

TEST_F(OpenBy, MoreThanPromisedAreADifferenceWithoutLoss) {
  behaviour.delivered = 7;
  EXPECT_EQ(read_all(), 7U);
  ASSERT_EQ(problems_.size(), 1U);
  ASSERT_TRUE(problems_[0].loss());
  EXPECT_EQ(problems_[0].loss()->messages, 0U);
}

TEST_F(OpenBy, ANumberThatWasOnlyNotedIsAWarning) {
  behaviour.is_index = false;
  behaviour.delivered = 3;
  read_all();
  ASSERT_EQ(problems_.size(), 1U);
  EXPECT_THAT(problems_[0].what(), HasSubstr("message count is 5, but it holds 3"));
  EXPECT_FALSE(problems_[0].loss());
}

TEST_F(OpenBy, OfASelectionItsOwnCountsAreCompared) {
  behaviour.delivered = 2;
  EXPECT_EQ(read_all(odd()), 1U);
  ASSERT_EQ(problems_.size(), 1U);
  EXPECT_EQ(problems_[0].loss()->messages, 2U);
}

TEST_F(OpenBy, WhatDamageExplainsIsToldOnce) {
  behaviour.delivered = 3;
  behaviour.reported_at_open = {Loss{.messages = 1}};
  behaviour.reported_in_reading = {Loss{.messages = 1}};
  read_all();
  EXPECT_EQ(problems_.size(), 2U);
  behaviour.reported_in_reading = {Loss{}};  // nobody knows how many
  read_all();
  EXPECT_EQ(problems_.size(), 2U);
  behaviour.reported_in_reading = {};
  read_all();
  ASSERT_EQ(problems_.size(), 2U);
  EXPECT_EQ(problems_[1].loss()->messages, 1U);  // the one that was not reported
}

TEST_F(OpenBy, APartIsNotHeldAgainstTheWhole) {
  behaviour.delivered = 3;
  Query later;
  later.begin = Time(std::chrono::nanoseconds(1));
  Query second;
  second.nth = 1;
  Query three;
  three.count = 3;
  for (const Query& query : {later, second, three}) {
    read_all(query);
    EXPECT_THAT(problems_, IsEmpty());
  }
}

TEST_F(OpenBy, StrictReadingThrowsBehindTheLastMessage) {
  behaviour.delivered = 3;
  auto source =
      open_by(format_, {.path = "x", .head = {}, .file = nullptr}, {}, Session(Registry()))
          ->read({});
  Batch batch;
  EXPECT_TRUE(source->read(batch, {}));
  batch.clear();
  EXPECT_TRUE(source->read(batch, {}));
  batch.clear();
  Error error = thrown_by([&] { source->read(batch, {}); });
  EXPECT_EQ(error.code(), ErrorCode::corrupt);
}

}  // namespace
}  // namespace kitbag
