#include "kitbag/play.h"

#include <gmock/gmock.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include "kitbag/pipeline.h"
#include "tests/support/manual_clock.h"
#include "tests/support/memory_source.h"
#include "tests/support/thrown_by.h"

namespace kitbag {
namespace {

using test::Sample;
using test::Samples;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::SizeIs;
using namespace std::chrono_literals;

/// What was sent, and when.
struct Sent {
  std::int64_t ms;  ///< of the clock
  std::string data;

  bool operator==(const Sent&) const = default;
  friend std::ostream& operator<<(std::ostream& out, const Sent& sent) {
    return out << sent.data << " at " << sent.ms;
  }
};

/// What a publisher of a test has taken; it outlives the publisher.
struct Taken {
  std::vector<Sent> sent;
  std::function<void(const std::string&)> on_message;
  std::vector<std::string> changes;
  bool is_written = false;  // a batch without messages declares topics
  bool is_awaited = false;
  bool is_closed = false;
  bool is_offered = false;
};

class TestPublisher final : public Publisher {
 public:
  TestPublisher(Taken& taken, ClockPtr clock) : taken_(taken), clock_(std::move(clock)) {}

  bool await_subscribers(const Wait&) override { return taken_.is_awaited = true; }
  void write(Batch&& batch) override {
    taken_.is_written = true;
    for (const Message& message : std::as_const(batch).messages()) {
      auto ms = clock_->steady().time_since_epoch() / 1ms;
      taken_.sent.push_back({ms, std::string(as_text(message.data))});
      if (taken_.on_message) taken_.on_message(taken_.sent.back().data);
    }
  }
  void close() override { taken_.is_closed = true; }
  void offer(Player&) override { taken_.is_offered = true; }
  void tell(const FileChange& change) override {
    taken_.changes.push_back(change.closed + " > " + change.opened);
  }

 private:
  Taken& taken_;
  ClockPtr clock_;
};

class PlayerTest : public ::testing::Test {
 protected:
  static constexpr std::int64_t kMs = 1'000'000;
  static constexpr std::int64_t kStart = 1'700'000'000'000'000'000;

  /// Messages that many milliseconds behind the start; their data is the number.
  void at(std::initializer_list<std::int64_t> times_ms) {
    samples_.clear();
    for (std::int64_t ms : times_ms)
      samples_.push_back({"/a", kStart + ms * kMs, std::to_string(ms)});
    options_.begin = from_ns(samples_.front().time);
    options_.end = from_ns(samples_.back().time);
  }

  void make() {
    options_.open = [this](Time begin) {
      Samples from;
      for (const Sample& sample : samples_) {
        if (from_ns(sample.time) >= begin) from.push_back(sample);
      }
      return test::memory_source(from);
    };
    player_.emplace(options_, std::make_unique<TestPublisher>(taken_, clock_), clock_);
  }

  /// Plays to the end, with the time running as fast as it can.
  std::vector<Sent> play() {
    if (!player_) make();
    std::atomic<bool> is_done = false;
    std::thread time([&] {
      while (!is_done) {
        if (!clock_->advance_to_deadline()) std::this_thread::yield();
      }
    });
    status_ = player_->run(stop_.get_token(), on_status_);
    is_done = true;
    time.join();
    EXPECT_TRUE(taken_.is_closed);
    return taken_.sent;
  }

  std::shared_ptr<ManualClock> clock_ = std::make_shared<ManualClock>();
  Samples samples_;
  PlayOptions options_;
  Taken taken_;
  std::optional<Player> player_;
  std::stop_source stop_;
  PlayStatus status_;
  std::function<void(const PlayStatus&)> on_status_;
};

TEST_F(PlayerTest, SendsEachMessageInItsTime) {
  at({0, 10, 10, 25, 1000});
  EXPECT_THAT(play(), ElementsAre(Sent{0, "0"}, Sent{10, "10"}, Sent{10, "10"}, Sent{25, "25"},
                                  Sent{1000, "1000"}));
  EXPECT_EQ(status_.messages, 5U);
  EXPECT_EQ(status_.late_messages, 0U);
  EXPECT_EQ(status_.worst_lateness, Duration::zero());
}

TEST_F(PlayerTest, TheRateMakesItFasterAndSlower) {
  at({0, 100});
  options_.rate = 4;
  EXPECT_THAT(play(), ElementsAre(Sent{0, "0"}, Sent{25, "100"}));
}

TEST_F(PlayerTest, TheRateMayChangeOnTheWay) {
  at({0, 100, 300});
  taken_.on_message = [this](const std::string& data) {
    if (data == "100") player_->set_rate(2);
  };
  EXPECT_THAT(play(), ElementsAre(Sent{0, "0"}, Sent{100, "100"}, Sent{200, "300"}));
  EXPECT_EQ(status_.rate, 2);
}

TEST_F(PlayerTest, WhatIsLateDelaysNothingBehindIt) {
  at({0, 10, 20, 30});
  taken_.on_message = [this](const std::string& data) {
    if (data == "10") clock_->advance(15ms);
  };
  EXPECT_THAT(play(), ElementsAre(Sent{0, "0"}, Sent{10, "10"}, Sent{25, "20"}, Sent{30, "30"}));
  EXPECT_EQ(status_.late_messages, 1U);
  EXPECT_EQ(status_.worst_lateness, 5ms);
}

TEST_F(PlayerTest, NothingIsLateWithoutAPace) {
  at({0, 10, 20});
  options_.rate = Player::kMostRate;
  taken_.on_message = [this](const std::string&) { clock_->advance(15ms); };
  EXPECT_EQ(play().size(), 3U);
  EXPECT_EQ(status_.late_messages, 0U);
}

TEST_F(PlayerTest, APauseShiftsTheRest) {
  at({0, 100, 200});
  taken_.on_message = [this](const std::string& data) {
    if (data != "100") return;
    clock_->advance(30ms);
    player_->pause();
    EXPECT_EQ(player_->status().position, from_ns(kStart + 130 * kMs));
    clock_->advance(500ms);
    player_->resume();
  };
  EXPECT_THAT(play(), ElementsAre(Sent{0, "0"}, Sent{100, "100"}, Sent{700, "200"}));
}

TEST_F(PlayerTest, StepsSendOneMessageAfterAnother) {
  at({0, 100, 200, 5000});
  options_.starts_paused = true;
  int looks = 0;
  on_status_ = [&](const PlayStatus& status) {
    ++looks;
    if (looks == 2) player_->burst(1);
    if (looks == 3) player_->burst(2);
    if (looks == 4) {
      EXPECT_EQ(status.messages, 3U);
      EXPECT_EQ(status.position, from_ns(kStart + 200 * kMs));
      player_->resume();
    }
  };
  auto sent = play();
  ASSERT_THAT(sent, SizeIs(4));
  EXPECT_EQ(sent[1].ms, sent[2].ms);
  EXPECT_EQ(test::thrown_by([&] { player_->burst(1); }).code(), ErrorCode::invalid);
}

TEST_F(PlayerTest, ASeekGoesOnFromThere) {
  at({0, 100, 5000, 5100});
  taken_.on_message = [this](const std::string& data) {
    if (data == "100") player_->seek(from_ns(kStart + 4950 * kMs));
  };
  EXPECT_THAT(play(),
              ElementsAre(Sent{0, "0"}, Sent{100, "100"}, Sent{150, "5000"}, Sent{250, "5100"}));
}

TEST_F(PlayerTest, ASeekBackPlaysAgain) {
  at({0, 100, 200});
  int times = 0;
  taken_.on_message = [&](const std::string& data) {
    if (data == "100" && ++times == 1) player_->seek(Time::min());
  };
  EXPECT_THAT(play(), ElementsAre(Sent{0, "0"}, Sent{100, "100"}, Sent{100, "0"}, Sent{200, "100"},
                                  Sent{300, "200"}));
}

TEST_F(PlayerTest, ItStaysAtTheEndUntilItIsStopped) {
  at({0, 100});
  options_.stays_at_end = true;
  options_.clock.hz = 10;
  std::size_t ends = 0;
  on_status_ = [&](const PlayStatus& status) {
    if (!status.is_paused) return;
    EXPECT_EQ(status.position, options_.end);
    EXPECT_FALSE(taken_.is_closed);
    if (++ends == 3) player_->resume();  // there is nothing behind the end
    if (ends == 6) {
      player_->seek(options_.begin);
      player_->resume();
    }
    if (ends == 9) stop_.request_stop();
  };
  std::vector<std::string> played;
  for (const Sent& sent : play()) {
    if (sent.data.size() <= 3) played.push_back(sent.data);
  }
  EXPECT_THAT(played, ElementsAre("0", "100", "0", "100"));
  EXPECT_EQ(status_.rounds, 1U);
}

TEST_F(PlayerTest, ALoopBeginsAgainAndAgain) {
  at({0, 100});
  options_.loops = true;
  taken_.on_message = [this](const std::string&) {
    if (taken_.sent.size() == 5) stop_.request_stop();
  };
  EXPECT_THAT(play(), ElementsAre(Sent{0, "0"}, Sent{100, "100"}, Sent{100, "0"}, Sent{200, "100"},
                                  Sent{200, "0"}));
  EXPECT_EQ(status_.rounds, 3U);
}

TEST_F(PlayerTest, ABagWithoutMessagesIsNotPlayedForEver) {
  at({0});
  samples_.clear();
  options_.loops = true;
  EXPECT_THAT(play(), SizeIs(0));
}

/// All messages are those of the state before the part that is played.
class StateAlone final : public Source {
 public:
  explicit StateAlone(std::unique_ptr<Source> source) : source_(std::move(source)) {}

  ChannelsPtr channels() const override { return source_->channels(); }
  bool read(Batch& batch, const Wait& wait) override {
    if (!source_->read(batch, wait)) return false;
    for (Message& message : batch.messages()) message.flags |= kState;
    return true;
  }

 private:
  std::unique_ptr<Source> source_;
};

/// It would be sent again and again, without a moment in between.
TEST_F(PlayerTest, APartWithStateAloneIsNotPlayedForEver) {
  at({0});
  options_.loops = true;
  options_.open = [this](Time) {
    return std::make_unique<StateAlone>(test::memory_source(samples_));
  };
  player_.emplace(options_, std::make_unique<TestPublisher>(taken_, clock_), clock_);
  EXPECT_THAT(play(), SizeIs(1));
}

TEST_F(PlayerTest, LongGapsAreLeftOut) {
  at({0, 900, 60'000, 60'900});
  options_.skip_empty = 1s;
  EXPECT_THAT(play(),
              ElementsAre(Sent{0, "0"}, Sent{900, "900"}, Sent{900, "60000"}, Sent{1800, "60900"}));
}

TEST_F(PlayerTest, ItPausesBehindAMessageOfATopic) {
  at({0, 100, 200});
  samples_[1].topic = "/halt";
  options_.until_topics = {"/halt"};
  on_status_ = [&](const PlayStatus& status) {
    if (!status.is_paused) return;
    EXPECT_EQ(status.messages, 2U);
    player_->resume();
  };
  EXPECT_THAT(play(), SizeIs(3));
}

TEST_F(PlayerTest, ADelayAndSubscribersComeFirst) {
  at({0, 10});
  options_.delay = 2s;
  options_.awaits_subscribers = true;
  EXPECT_THAT(play(), ElementsAre(Sent{2000, "0"}, Sent{2010, "10"}));
  EXPECT_TRUE(taken_.is_awaited);
}

TEST_F(PlayerTest, PublishTimesMayTellTheTime) {
  at({0, 1, 2});
  for (std::size_t i = 0; i < 3; ++i) {
    samples_[i].publish_time = kStart + static_cast<std::int64_t>(i) * 50 * kMs;
  }
  options_.by = TimeField::publish_time;
  EXPECT_THAT(play(), ElementsAre(Sent{0, "0"}, Sent{50, "1"}, Sent{100, "2"}));
}

TEST_F(PlayerTest, AClockTellsWhereItIs) {
  at({0, 100});
  options_.clock = {20, "ros1"};
  options_.rate = 2;
  EXPECT_THAT(play(), SizeIs(2 + 2));  // at 0 and 50 ms the clock's, and then the bag's
  EXPECT_EQ(status_.messages, 2U);
}

TEST_F(PlayerTest, AStopEndsIt) {
  at({0, 3'600'000});
  taken_.on_message = [this](const std::string&) { stop_.request_stop(); };
  EXPECT_THAT(play(), SizeIs(1));
}

TEST_F(PlayerTest, AfterAStopThatCameFirstNothingIsDeclared) {
  at({0, 10});
  options_.awaits_subscribers = true;
  stop_.request_stop();
  EXPECT_THAT(play(), SizeIs(0));
  EXPECT_FALSE(taken_.is_awaited);
  EXPECT_FALSE(taken_.is_written);
}

TEST_F(PlayerTest, TenPlaysSendTheSame) {
  samples_.clear();
  for (int i = 0; i < 5000; ++i) {
    samples_.push_back({"/a", kStart + i / 7 * kMs, std::to_string(i)});
  }
  options_.begin = from_ns(samples_.front().time);
  options_.end = from_ns(samples_.back().time);
  std::vector<Sent> first = play();
  ASSERT_THAT(first, SizeIs(5000));
  for (int round = 1; round < 10; ++round) {
    clock_->set(from_ns(0), SteadyTime());
    taken_ = {};
    player_.reset();
    EXPECT_EQ(play(), first);
  }
}

TEST_F(PlayerTest, APartIsPlayedAndThenItPauses) {
  at({0, 100, 200, 300, 400});
  options_.starts_paused = true;
  int pauses = 0;
  on_status_ = [&](const PlayStatus& status) {
    if (!status.is_paused) return;
    ++pauses;
    auto after = [this](std::int64_t ms) { return from_ns(kStart + ms * kMs); };
    if (pauses == 1) player_->play({after(50), after(250)});
    if (pauses == 2) {
      EXPECT_EQ(status.position, after(250));
      player_->play({{}, after(300)});  // on from there; a message of that time belongs to it
    }
    if (pauses == 3) {
      EXPECT_EQ(status.position, after(300));
      player_->resume();  // the part is over
    }
  };
  std::vector<std::string> played;
  for (const Sent& sent : play()) played.push_back(sent.data);
  EXPECT_THAT(played, ElementsAre("100", "200", "300", "400"));
  EXPECT_EQ(pauses, 3);
}

TEST_F(PlayerTest, APauseAtTheEndOfALoopGoesOnAtTheBegin) {
  at({0, 100});
  samples_[1].topic = "/halt";
  options_.loops = true;
  options_.until_topics = {"/halt"};
  int looks = 0;
  on_status_ = [&](const PlayStatus& status) {
    if (!status.is_paused || ++looks != 2) return;
    EXPECT_EQ(status.position, options_.begin);
    player_->resume();
  };
  taken_.on_message = [this](const std::string&) {
    if (taken_.sent.size() == 4) stop_.request_stop();
  };
  auto sent = play();
  ASSERT_THAT(sent, SizeIs(4));
  EXPECT_EQ(sent[3].ms - sent[2].ms, 100);
}

TEST_F(PlayerTest, SeeksBehindTheLastMessageDoNotEndALoop) {
  at({0, 100});
  options_.end += 100ms;
  options_.loops = true;
  options_.starts_paused = true;
  int looks = 0;
  on_status_ = [&](const PlayStatus&) {
    ++looks;
    if (looks <= 2) player_->seek(options_.end);
    if (looks == 3) player_->resume();
  };
  taken_.on_message = [this](const std::string&) {
    if (taken_.sent.size() == 2) stop_.request_stop();
  };
  auto sent = play();
  ASSERT_THAT(sent, SizeIs(2));
  EXPECT_EQ(sent[1].ms - sent[0].ms, 100);
}

TEST_F(PlayerTest, APartGoesOnInTheNextRoundOfALoop) {
  at({0, 100, 200});
  options_.loops = true;
  taken_.on_message = [this](const std::string&) {
    if (taken_.sent.size() == 2) player_->play({{}, options_.end + 150ms});
    if (taken_.sent.size() == 10) stop_.request_stop();  // it has not paused
  };
  on_status_ = [&](const PlayStatus& status) {
    if (!status.is_paused) return;
    EXPECT_EQ(status.position, options_.begin + 150ms);
    stop_.request_stop();
  };
  EXPECT_THAT(play(), ElementsAre(Sent{0, "0"}, Sent{100, "100"}, Sent{200, "200"}, Sent{200, "0"},
                                  Sent{300, "100"}));
}

TEST_F(PlayerTest, APartThatEndsBehindTheLastMessageEndsWithTheRound) {
  at({0, 100});
  options_.end += 200ms;
  options_.loops = true;
  taken_.on_message = [this](const std::string&) {
    if (taken_.sent.size() == 1) player_->play({{}, options_.end - 100ms});
    if (taken_.sent.size() == 10) stop_.request_stop();  // it has not paused
  };
  on_status_ = [&](const PlayStatus& status) {
    if (!status.is_paused) return;
    EXPECT_EQ(status.position, options_.begin);
    stop_.request_stop();
  };
  EXPECT_THAT(play(), SizeIs(2));
}

TEST_F(PlayerTest, APauseWithinAPartDoesNotEndIt) {
  at({0, 100, 200, 300});
  taken_.on_message = [this](const std::string& data) {
    if (data != "0") return;
    player_->play({{}, from_ns(kStart + 200 * kMs)});
    player_->pause();
    player_->resume();
  };
  on_status_ = [&](const PlayStatus& status) {
    if (!status.is_paused) return;
    EXPECT_EQ(status.messages, 3U);
    stop_.request_stop();
  };
  EXPECT_THAT(play(), SizeIs(3));
}

TEST_F(PlayerTest, ABurstTellsHowManyItHasSent) {
  at({0, 100, 200});
  options_.starts_paused = true;
  make();
  EXPECT_TRUE(taken_.is_offered);
  std::vector<std::uint64_t> sent;
  std::thread client([&] {
    sent.push_back(player_->burst(2, {}));
    sent.push_back(player_->burst(UINT64_MAX, {}));  // ends with the bag
  });
  EXPECT_THAT(play(), SizeIs(3));
  client.join();
  EXPECT_THAT(sent, ElementsAre(2, 1));
}

TEST_F(PlayerTest, ABurstAtTheEndSendsNothing) {
  at({0});
  options_.starts_paused = true;
  options_.stays_at_end = true;
  make();
  std::vector<std::uint64_t> sent;
  std::thread client([&] {
    for (int i = 0; i < 2; ++i) sent.push_back(player_->burst(5, {}));
    player_->stop();
  });
  EXPECT_THAT(play(), SizeIs(1));
  client.join();
  EXPECT_THAT(sent, ElementsAre(1, 0));
}

TEST_F(PlayerTest, ItCanBeStopped) {
  at({0, 3'600'000});
  taken_.on_message = [this](const std::string&) { player_->stop(); };
  EXPECT_THAT(play(), SizeIs(1));
  EXPECT_TRUE(options_.stop.stop_requested());
}

TEST_F(PlayerTest, FilesAreToldAsTheyArePlayed) {
  at({0, 100, 200, 300});
  auto after = [](std::int64_t ms) { return from_ns(kStart + ms * kMs); };
  options_.files = {{"a", after(0)}, {"b", after(150)}, {"c", after(300)}};
  bool is_first = true;
  taken_.on_message = [&](const std::string& data) {
    if (data == "200" && std::exchange(is_first, false)) player_->seek(after(0));
  };
  play();
  EXPECT_THAT(taken_.changes, ElementsAre("a > b", "b > a", "a > b", "b > c"));
}

TEST_F(PlayerTest, WhatIsNotSeekableStaysWhereItIs) {
  at({0});
  options_.is_seekable = false;
  make();
  EXPECT_EQ(test::thrown_by([&] { player_->seek(options_.begin); }).code(), ErrorCode::unsupported);
  EXPECT_EQ(test::thrown_by([&] {
              player_->play({options_.begin, {}});
            }).code(),
            ErrorCode::unsupported);
}

TEST_F(PlayerTest, ThereIsNoRateOfNothing) {
  at({0});
  for (double rate : {0.0, -1.0, 1e10}) {
    options_.rate = rate;
    EXPECT_EQ(test::thrown_by([&] { make(); }).code(), ErrorCode::invalid);
  }
  options_.rate = 1;
  make();
  EXPECT_EQ(test::thrown_by([&] { player_->set_rate(0); }).code(), ErrorCode::invalid);
}

}  // namespace
}  // namespace kitbag
