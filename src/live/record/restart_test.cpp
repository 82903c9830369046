// A recording that is stopped while its recorder goes on, and another one after it; snapshots of
// what somebody asks for; splits and ends of pauses at a moment that is still to come.

#include <gmock/gmock.h>

#include <filesystem>
#include <functional>
#include <thread>

#include "kitbag/error.h"
#include "kitbag/open.h"
#include "kitbag/record.h"
#include "tests/support/memory_source.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/thrown_by.h"

namespace kitbag {
namespace {

using test::thrown_by;
using ::testing::ElementsAre;
using namespace std::chrono_literals;

/// The system of a test: it sends what the test wants when the test wants it.
struct DrivenSystem {
  Feed* feed = nullptr;
  std::vector<ChannelPtr> channels;  ///< /tick, and /map, which is latched
  Recorder* offered = nullptr;
  std::vector<std::string> changes;

  void send(std::size_t channel, std::string_view text, std::int64_t time) const {
    feed->push({channels[channel].get(), 0, 0, from_ns(time), from_ns(time), as_bytes(text)});
  }
};
DrivenSystem* system_of_test = nullptr;

class DrivenSubscriber final : public Subscriber {
 public:
  explicit DrivenSubscriber(Feed& feed) : feed_(feed) {
    system_of_test->feed = &feed;
    Channel channel;
    channel.encoding = "ros1";
    channel.topic = "/tick";
    system_of_test->channels = {feed.add(channel)};
    channel.topic = "/map";
    channel.metadata["latching"] = "1";
    system_of_test->channels.push_back(feed.add(channel));
  }
  void stop() override { feed_.close(); }
  void offer(Recorder& recorder) override { system_of_test->offered = &recorder; }
  void tell(const FileChange& change) override {
    auto name = [](const std::string& path) { return path.substr(path.rfind('/') + 1); };
    system_of_test->changes.push_back(name(change.closed) + " > " + name(change.opened));
  }

 private:
  Feed& feed_;
};

class RecorderRestart : public ::testing::Test {
 protected:
  RecorderRestart() {
    system_of_test = &system_;
    Transport transport;
    transport.scheme = "test";
    transport.subscribe = [](const Location&, const Subscription&, Feed& feed, const Session&) {
      return std::unique_ptr<Subscriber>(std::make_unique<DrivenSubscriber>(feed));
    };
    Registry registry = standard_registry();
    registry.transports.push_back(transport);
    session_ = Session(std::move(registry));
    options_.from = {"test://"};
    options_.target.path = folder_.path("a.mcap");
    options_.restarts = true;
  }

  /// Does it while the recorder runs.
  RecordStatus during(const std::function<void(Recorder&)>& act) {
    Recorder recorder(options_, session_);
    EXPECT_EQ(system_.offered, &recorder);
    std::stop_source stop;
    std::thread other([&] {
      act(recorder);
      stop.request_stop();
    });
    RecordStatus status = recorder.run(stop.get_token());
    other.join();
    return status;
  }
  static void await(Recorder& recorder, std::uint64_t messages) {
    while (recorder.status().messages < messages) std::this_thread::sleep_for(1ms);
  }
  std::vector<std::string> read(const std::string& name) const {
    std::vector<std::string> texts;
    auto bag = session_.open(folder_.path(name));
    for (const Message& message : bag->messages()) {
      texts.emplace_back(as_text(message.data));
    }
    return texts;
  }
  std::string reported(const std::string& name, const std::string& what) const {
    for (const Extra& extra : session_.open(folder_.path(name))->extras()) {
      const auto* report = std::get_if<Metadata>(&extra);
      if (report && report->values.contains(what)) return report->values.at(what);
    }
    return "none";
  }

  TemporaryFolder folder_;
  DrivenSystem system_;
  Session session_;
  RecordOptions options_;
};

TEST_F(RecorderRestart, AStoppedRecordingIsCompleteAndAnotherFollows) {
  RecordStatus status = during([this](Recorder& recorder) {
    system_.send(1, "map", 1);
    system_.send(0, "one", 2);
    await(recorder, 2);
    EXPECT_EQ(thrown_by([&] { recorder.record(folder_.path("b.mcap")); }).code(),
              ErrorCode::invalid);
    recorder.stop();
    EXPECT_FALSE(recorder.status().is_recording);
    EXPECT_THAT(read("a.mcap"), ElementsAre("map", "one"));
    EXPECT_EQ(thrown_by([&] { recorder.stop(); }).code(), ErrorCode::invalid);
    EXPECT_EQ(thrown_by([&] { recorder.split(); }).code(), ErrorCode::unsupported);
    system_.send(0, "between", 3);
    system_.send(1, "new map", 4);
    EXPECT_EQ(thrown_by([&] { recorder.record(""); }).code(), ErrorCode::exists);
    EXPECT_FALSE(recorder.status().is_recording);
    while (system_.feed->held_bytes() > 0) std::this_thread::sleep_for(1ms);
    recorder.record(folder_.path("b.mcap"));
    EXPECT_TRUE(recorder.status().is_recording);
    system_.send(0, "two", 5);
    await(recorder, 3);
  });
  EXPECT_THAT(read("b.mcap"), ElementsAre("new map", "two"));
  EXPECT_EQ(reported("a.mcap", "messages"), "2");
  EXPECT_EQ(reported("b.mcap", "messages"), "1");
  EXPECT_EQ(status.messages, 3U);
  EXPECT_THAT(status.files, ElementsAre(folder_.path("a.mcap"), folder_.path("b.mcap")));
  EXPECT_THAT(system_.changes, ElementsAre("a.mcap > ", "b.mcap > "));
}

TEST_F(RecorderRestart, AtTheEndNothingIsLeftOfARecordingThatWasStopped) {
  RecordStatus status = during([this](Recorder& recorder) {
    system_.send(0, "one", 1);
    await(recorder, 1);
    recorder.stop();
  });
  EXPECT_FALSE(status.is_recording);
  EXPECT_THAT(read("a.mcap"), ElementsAre("one"));
  EXPECT_EQ(thrown_by([&] { session_.open(folder_.path("a.mcap.active")); }).code(),
            ErrorCode::not_found);
}

TEST_F(RecorderRestart, WhoWaitsForARecordingThatIsOverIsTold) {
  Recorder recorder(options_, session_);
  std::stop_source stop;
  stop.request_stop();
  recorder.run(stop.get_token());
  EXPECT_EQ(thrown_by([&] { recorder.stop(); }).code(), ErrorCode::cancelled);
}

TEST_F(RecorderRestart, AnOrderThatNobodyTakesIsGivenUp) {
  Recorder recorder(options_, session_);  // which does not run
  auto clock = session_.clock();
  EXPECT_EQ(thrown_by([&] { recorder.stop({{}, clock->steady()}); }).code(), ErrorCode::cancelled);
  std::stop_source stop;
  stop.request_stop();
  EXPECT_TRUE(recorder.run(stop.get_token()).is_recording) << "it is forgotten";
}

TEST_F(RecorderRestart, OnlyWhoSaysSoRestarts) {
  options_.restarts = false;
  during([](Recorder& recorder) {
    EXPECT_EQ(thrown_by([&] { recorder.stop(); }).code(), ErrorCode::unsupported);
    EXPECT_EQ(thrown_by([&] { recorder.record("x.mcap"); }).code(), ErrorCode::unsupported);
    EXPECT_EQ(thrown_by([&] { recorder.snapshot({}, {}); }).code(), ErrorCode::unsupported);
  });
}

TEST_F(RecorderRestart, TheFilesOfADirectoryAreSplitAndTold) {
  options_.target.path = folder_.path("run/");
  during([this](Recorder& recorder) {
    system_.send(1, "map", 1);
    await(recorder, 1);
    recorder.split();
    while (recorder.status().open_file != "") std::this_thread::sleep_for(1ms);
    system_.send(0, "one", 2);
    await(recorder, 2);
    recorder.stop();
    recorder.record(folder_.path("other/"));
    system_.send(0, "two", 3);
    await(recorder, 3);
  });
  EXPECT_THAT(system_.changes,
              ElementsAre("run_0.mcap > run_1.mcap", "run_1.mcap > ", "other_0.mcap > "));
  EXPECT_THAT(read("run"), ElementsAre("map", "one"));
  EXPECT_THAT(read("other"), ElementsAre("map", "two"));
}

TEST_F(RecorderRestart, ASnapshotHoldsWhatIsAskedFor) {
  options_.snapshot = SnapshotLimits{.bytes = 1 << 20};
  during([this](Recorder& recorder) {
    EXPECT_TRUE(recorder.options().snapshot);
    for (std::int64_t time = 1; time <= 5; ++time) system_.send(0, std::to_string(time), time);
    system_.send(1, "map", 6);
    await(recorder, 6);
    auto snapshot = [&](SnapshotRequest request) { return recorder.snapshot(request, {}); };
    Selection nothing{.topics = {"/nothing"}};
    EXPECT_EQ(
        thrown_by([&] { snapshot({.path = folder_.path("no.mcap"), .select = nothing}); }).code(),
        ErrorCode::not_found);
    Selection ticks{.topics = {"/tick"}};
    EXPECT_EQ(snapshot({folder_.path("some.bag"), ticks, from_ns(2), from_ns(4)}), 3U);
    EXPECT_THAT(read("some.bag"), ElementsAre("2", "3", "4"));
    EXPECT_EQ(thrown_by([&] { snapshot({}); }).code(), ErrorCode::not_found) << "it is empty";
    system_.send(0, "7", 7);
    await(recorder, 7);
    EXPECT_EQ(thrown_by([&] { snapshot({.path = folder_.path("some.bag")}); }).code(),
              ErrorCode::exists);
    EXPECT_EQ(snapshot({}), 1U) << "it was kept";
    EXPECT_EQ(thrown_by([&] { recorder.stop(); }).code(), ErrorCode::unsupported);
  });
  EXPECT_THAT(read("a_0.mcap"), ::testing::Contains("7"));
}

TEST_F(RecorderRestart, EachSnapshotToAPathBeginsWithWhatIsLatched) {
  options_.restarts = false;
  options_.snapshot = SnapshotLimits{.bytes = 1 << 20};
  during([this](Recorder& recorder) {
    system_.send(1, "map", 1);
    system_.send(0, "one", 2);
    await(recorder, 2);
    EXPECT_EQ(recorder.snapshot({.path = folder_.path("one.mcap")}), 2U);
    system_.send(0, "two", 3);
    await(recorder, 3);
    EXPECT_EQ(recorder.snapshot({.path = folder_.path("two.mcap")}), 1U);
  });
  EXPECT_THAT(read("one.mcap"), ElementsAre("map", "one"));
  EXPECT_THAT(read("two.mcap"), ElementsAre("map", "two"));
}

TEST_F(RecorderRestart, WhatASnapshotLeavesOutIsRepeatedInTheNext) {
  options_.snapshot = SnapshotLimits{.bytes = 1 << 20};
  Selection ticks{.topics = {"/tick"}};
  during([&](Recorder& recorder) {
    system_.send(1, "map", 1);
    system_.send(0, "one", 2);
    await(recorder, 2);
    EXPECT_EQ(recorder.snapshot({.path = folder_.path("one.mcap"), .select = ticks}), 1U);
    system_.send(0, "two", 3);
    await(recorder, 3);
    EXPECT_EQ(recorder.snapshot({.path = folder_.path("two.mcap"), .select = ticks}), 1U);
    system_.send(1, "new map", 4);
    system_.send(0, "three", 5);
    await(recorder, 5);
    EXPECT_EQ(recorder.snapshot({.begin = from_ns(5)}), 1U);
    system_.send(0, "four", 6);
    await(recorder, 6);
    EXPECT_EQ(recorder.snapshot({.begin = from_ns(5)}), 1U);
  });
  EXPECT_THAT(read("one.mcap"), ElementsAre("one"));
  EXPECT_THAT(read("two.mcap"), ElementsAre("two")) << "only what was asked for";
  EXPECT_THAT(read("a_0.mcap"), ElementsAre("map", "three"));
  EXPECT_THAT(read("a_1.mcap"), ElementsAre("new map", "four"));
}

/// Log times after those of the clock, so that only messages make a moment come.
const Time kLater = system_clock()->wall() + 1h;

TEST_F(RecorderRestart, AMomentBeginsAFileWithItsMessage) {
  options_.target.split.messages = 100;
  auto first_file_of = [&](const RecordMoment& moment) {
    during([&](Recorder& recorder) {
      recorder.split({.time = kLater + 2ns});  // which the next one replaces
      recorder.split(moment);
      for (std::int64_t i : {0, 1, 2, 3}) {
        const Channel* channel = system_.channels[i == 2 ? 1 : 0].get();
        system_.feed->push({channel, 0, 0, kLater + Duration(i), from_ns(i), as_bytes("x")});
      }
      await(recorder, 4);
    });
    std::size_t count = read("a_0.mcap").size();
    EXPECT_EQ(std::filesystem::exists(folder_.path("a_1.mcap")), count < 4);
    for (const std::string& name : folder_.names()) std::filesystem::remove(folder_.path(name));
    return count;
  };
  EXPECT_EQ(first_file_of({.time = kLater + 1ns}), 1U);
  EXPECT_EQ(first_file_of({.time = kLater + 3ns}), 3U);
  EXPECT_EQ(first_file_of({.time = kLater, .topic = "/map"}), 2U);
  EXPECT_EQ(first_file_of({.time = kLater, .topic = "/nope"}), 4U);
  EXPECT_EQ(first_file_of({.time = from_ns(3), .by_publish_time = true}), 3U);
}

TEST_F(RecorderRestart, APauseEndsAtAMoment) {
  options_.starts_paused = true;
  auto stored = [&](const std::function<void(Recorder&)>& ask) {
    std::filesystem::remove(folder_.path("a.mcap"));
    Recorder recorder(options_, session_);
    ask(recorder);
    for (std::int64_t i : {0, 1, 2}) system_.send(0, std::to_string(i), to_ns(kLater) + i);
    system_.feed->close();
    recorder.run({});
    return read("a.mcap");
  };
  EXPECT_THAT(stored([](Recorder& r) { r.resume({.time = kLater + 1ns}); }), ElementsAre("1", "2"));
  EXPECT_THAT(stored([](Recorder& r) {
                r.resume({.time = kLater + 1ns});
                r.pause();
              }),
              ElementsAre());
  EXPECT_THAT(stored([](Recorder& r) {
                r.resume({.time = kLater + 1ns});
                r.resume();
              }),
              ElementsAre("0", "1", "2"));
}

TEST_F(RecorderRestart, WithoutMessagesTheClockMakesAMomentCome) {
  options_.starts_paused = true;
  during([&](Recorder& recorder) {
    recorder.resume({.time = kLater, .topic = "/tick"});
    recorder.resume({.time = system_clock()->wall()});
    while (recorder.status().is_paused) std::this_thread::sleep_for(1ms);
  });
}

}  // namespace
}  // namespace kitbag
