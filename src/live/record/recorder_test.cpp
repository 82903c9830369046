#include <gmock/gmock.h>

#include <atomic>
#include <filesystem>
#include <functional>
#include <thread>

#include "kitbag/open.h"
#include "kitbag/record.h"
#include "live/record/test_recorder.h"
#include "tests/support/manual_clock.h"
#include "tests/support/memory_source.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/thrown_by.h"

namespace kitbag {
namespace {

using test::given_clock;
using test::kSecond;
using test::on_subscribe;
using test::RecorderTest;
using test::Sample;
using test::Samples;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;
using namespace std::chrono_literals;

TEST_F(RecorderTest, StoresWhatComesUnderItsOwnName) {
  give(samples_);
  RecordStatus status = record();
  EXPECT_EQ(read("x.mcap"), samples_);
  EXPECT_THAT(files(), ElementsAre("x.mcap"));
  EXPECT_THAT(status.files, ElementsAre(folder_.path("x.mcap")));
  EXPECT_EQ(status.messages, 3U);
  EXPECT_EQ(status.bytes, 11U);
  EXPECT_EQ(status.written_messages, 3U);
  EXPECT_EQ(status.written_bytes, 11U);
  EXPECT_FALSE(status.lacks_space);
  EXPECT_EQ(status.topics, 2U);
  EXPECT_THAT(status.dropped, IsEmpty());
}

TEST_F(RecorderTest, EveryFormatThatIsAFileCanBeRecordedTo) {
  for (const char* name : {"x.bag", "x.mcap", "x.db3"}) {
    give(samples_);
    options_.target.path = folder_.path(name);
    record();
    EXPECT_EQ(read(name), samples_) << name;
  }
  EXPECT_THAT(warnings_, IsEmpty());
}

TEST_F(RecorderTest, WarningsCallTheFileAsItIsCalledInTheEnd) {
  on_subscribe = [](Feed& feed) {
    Channel channel;
    channel.topic = "/a";
    channel.encoding = "json";
    ChannelPtr added = feed.add(channel);
    feed.push({added.get(), 0, 0, from_ns(0), from_ns(0), as_bytes(std::string_view("{}"))});
    feed.close();
  };
  std::vector<std::string> named;
  options_.target.path = folder_.path("x.bag");
  options_.target.write.on_warning = [&](const Error& e) { named.push_back(e.file()); };
  record();
  EXPECT_THAT(named, ElementsAre(folder_.path("x.bag")));
}

TEST_F(RecorderTest, WhatWasDroppedIsToldAndStored) {
  for (const char* name : {"x.mcap", "x.bag", "x.db3", "x/"}) {
    give({{"/a", 0, std::string(600, 'x')}, {"/a", 1, std::string(600, 'y')}});
    options_.feed = {1000, OnFull::drop_newest};
    options_.target.path = folder_.path(name);
    RecordStatus status = record();
    EXPECT_THAT(status.dropped, ElementsAre(std::pair("/a", 1)));
    auto extras = session_.open(folder_.path(name))->extras();
    ASSERT_THAT(extras, SizeIs(1)) << name;
    const auto& report = std::get<Metadata>(extras.front());
    EXPECT_EQ(report.values.at("dropped /a"), "1");
    EXPECT_EQ(report.values.at("messages"), "1");
  }
  EXPECT_THAT(warnings_, IsEmpty());
}

TEST_F(RecorderTest, WhatWasLostBeforeItCameIsToldAndStoredApart) {
  for (const char* name : {"x.mcap", "x.bag", "x.db3", "x/"}) {
    on_subscribe = [](Feed& feed) {
      Channel channel;
      channel.topic = "/a";
      channel.encoding = "ros1";
      channel.schema = std::make_shared<const Schema>(Schema{"a/B", "ros1msg", "int8 x"});
      ChannelPtr first = feed.add(channel);
      ChannelPtr second = feed.add(channel);  // the same topic again
      feed.count_lost(*first, 3);
      feed.count_lost(*second, 4);
      feed.close();
    };
    options_.target.path = folder_.path(name);
    RecordStatus status = record();
    EXPECT_THAT(status.lost, ElementsAre(std::pair("/a", 7)));
    EXPECT_THAT(status.dropped, IsEmpty());
    auto extras = session_.open(folder_.path(name))->extras();
    ASSERT_THAT(extras, SizeIs(1)) << name;
    const auto& report = std::get<Metadata>(extras.front());
    EXPECT_EQ(report.values.at("lost /a"), "7");
    EXPECT_EQ(report.values.at("lost"), "7");
    EXPECT_EQ(report.values.at("dropped"), "0");
  }
}

TEST_F(RecorderTest, TopicsWithoutADefinitionAreTold) {
  on_subscribe = [](Feed& feed) {
    Channel channel;
    channel.encoding = "cdr";
    auto add = [&](const char* topic, Schema schema) {
      channel.topic = topic;
      channel.schema = std::make_shared<const Schema>(std::move(schema));
      feed.add(channel);
    };
    add("/known", {"a/msg/B", "ros2msg", "int8 x\n"});
    add("/unknown", {"a/srv/B_Event", "", ""});
    add("plain", {"plant::State", "", ""});
    channel.metadata["topic_type_hash"] =  // of a message without fields
        "RIHS01_20b625256f32d5dbc0d04fee44f43c41e51c70d3502f84b4a08e7a9c26a96312";
    add("/empty", {"std_msgs/msg/Empty", "ros2msg", ""});
    channel.encoding = "json";
    add("/json", {"", "", ""});
    feed.close();
  };
  EXPECT_THAT(record().undefined, ElementsAre("/unknown", "plain"));
}

TEST_F(RecorderTest, ASecondEncodingOfATopicIsDroppedAndTold) {
  for (const char* name : {"x.mcap", "x.bag", "x.db3", "x/"}) {
    warnings_.clear();
    on_subscribe = [](Feed& feed) {
      auto push = [&](const ChannelPtr& channel, std::int64_t time) {
        feed.push({channel.get(), 0, 0, from_ns(time), from_ns(time), as_bytes("{}")});
      };
      Channel channel;
      channel.topic = "/a";
      channel.encoding = "json";
      auto first = feed.add(channel);
      channel.encoding = "cdr";
      auto stray = feed.add(channel);
      channel.topic = "/b";
      auto other = feed.add(channel);
      push(first, 1);
      push(stray, 2);
      push(stray, 3);
      push(other, 4);
      push(first, 5);
      feed.close();
    };
    options_.target.path = folder_.path(name);
    RecordStatus status = record();
    EXPECT_THAT(read(name), ElementsAre(Sample{"/a", 1, "{}", ""}, Sample{"/b", 4, "{}", ""},
                                        Sample{"/a", 5, "{}", ""}))
        << name;
    EXPECT_EQ(status.messages, 3U);
    EXPECT_THAT(status.dropped, ElementsAre(std::pair("/a", 2)));
    EXPECT_THAT(warnings_, ::testing::Contains(HasSubstr("two encodings, \"json\" and \"cdr\"")));
    auto extras = session_.open(folder_.path(name))->extras();
    ASSERT_THAT(extras, SizeIs(1)) << name;
    EXPECT_EQ(std::get<Metadata>(extras.front()).values.at("dropped /a"), "2");
  }
}

TEST_F(RecorderTest, WhatIsDeletedIsCounted) {
  for (const char* name : {"x.mcap", "x"}) {
    give({{"/map", 0, "a"}, {"/map", 1, "b"}, {"/map", 2, "c"}, {"/map", 3, "d"}, {"/map", 4, "e"}},
         true, {{"latching", "1"}});
    options_.target.path = folder_.path(name);
    options_.target.split.messages = 2;
    options_.target.keep.files = 1;
    RecordStatus status = record();
    EXPECT_EQ(status.messages, 5U);
    EXPECT_EQ(status.deleted_files, 2U) << name;
    EXPECT_EQ(status.deleted_messages, 4U) << name;  // and none that was repeated
    EXPECT_THAT(status.files, SizeIs(1)) << name;
  }
}

TEST_F(RecorderTest, AClockThatIsPutBackBreaksNeitherOrderNorSplits) {
  auto manual = std::make_shared<ManualClock>(from_ns(1000 * kSecond));
  ManualClock& clock = *manual;
  clock_ = manual;
  on_subscribe = [&](Feed& feed) {
    Channel channel;
    channel.topic = "/a";
    auto added = feed.add(std::move(channel));
    for (std::int64_t wall_s : {1001, 1002, 400, 401, 1003, 3000}) {
      clock.set(from_ns(wall_s * kSecond), clock.steady() + 1s);
      Time now = given_clock->wall();
      feed.push({added.get(), 0, 0, now, now, as_bytes("x")});
    }
    feed.close();
  };
  options_.target.split.duration = 100s;
  record();
  std::vector<std::int64_t> times_s;
  for (const char* name : {"x_0.mcap", "x_1.mcap"}) {
    for (const auto& sample : read(name)) times_s.push_back(sample.time / kSecond);
  }
  EXPECT_THAT(times_s, ElementsAre(1001, 1002, 1003, 1004, 1005, 3000));
  EXPECT_THAT(files(), SizeIs(2));  // it is the jump ahead that splits
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr("back")));
}

TEST_F(RecorderTest, ASplitNumbersItsFiles) {
  give(samples_);
  options_.target.split.messages = 2;
  record();
  EXPECT_THAT(files(), UnorderedElementsAre("x_0.mcap", "x_1.mcap"));
  EXPECT_THAT(read("x_0.mcap"), SizeIs(2));
  EXPECT_THAT(read("x_1.mcap"), ElementsAre(samples_[2]));
}

TEST_F(RecorderTest, ASplitWithoutAnExtensionIsADirectory) {
  give(samples_);
  options_.target.path = folder_.path("x");
  options_.target.split.messages = 1;
  record();
  EXPECT_EQ(read("x"), samples_);
  EXPECT_TRUE(std::filesystem::exists(folder_.path("x/metadata.yaml")));
  EXPECT_TRUE(std::filesystem::exists(folder_.path("x/x_2.mcap")));
}

TEST_F(RecorderTest, LatchedMessagesAreRepeatedAndReadOnce) {
  give({{"/map", 0, "old"}, {"/map", 1, "map"}, {"/map", 2, "new"}, {"/map", 3, "newest"}}, true,
       {{"latching", "1"}});
  options_.target.split.messages = 2;
  record();
  auto second = session_.open(folder_.path("x_1.mcap"));
  EXPECT_THAT(read("x_1.mcap"), ElementsAre(Sample{"/map", 2, "map", "test/Type", 1},
                                            Sample{"/map", 2, "new"}, Sample{"/map", 3, "newest"}));
  EXPECT_TRUE(is_repeated(*second->summary().channels->front()) ||
              is_repeated(*second->summary().channels->back()));
  auto first = session_.open(folder_.path("x_0.mcap"));
  for (const ChannelPtr& channel : *first->summary().channels) EXPECT_FALSE(is_repeated(*channel));
  Samples both;
  auto source = kitbag::read({second, first}, {});
  for (Batch batch; source->read(batch, {}); batch.clear()) {
    for (auto& sample : test::samples_of(batch)) both.push_back(std::move(sample));
  }
  EXPECT_THAT(both, ElementsAre(Sample{"/map", 0, "old"}, Sample{"/map", 1, "map"},
                                Sample{"/map", 2, "new"}, Sample{"/map", 3, "newest"}));
}

TEST_F(RecorderTest, WithoutAMessageTheChannelsAndTheReportAreThere) {
  give(samples_);
  options_.starts_paused = true;
  options_.target.split.messages = 10;
  record();
  auto bag = session_.open(folder_.path("x_0.mcap"));
  EXPECT_THAT(*bag->summary().channels, SizeIs(2));
  EXPECT_THAT(bag->extras(), SizeIs(1));
}

TEST_F(RecorderTest, NothingIsRepeatedWhereThatIsNotWanted) {
  give({{"/map", 0, "map"}, {"/map", 1, "new"}}, true, {{"latching", "1"}});
  options_.target.split.messages = 1;
  options_.target.repeat_latched = false;
  record();
  EXPECT_THAT(read("x_1.mcap"), ElementsAre(Sample{"/map", 1, "new"}));
}

TEST_F(RecorderTest, TheOldestFilesGo) {
  give(samples_);
  options_.target.split.messages = 1;
  options_.target.keep.files = 2;
  RecordStatus status = record();
  EXPECT_THAT(status.files, SizeIs(2));
  EXPECT_EQ(status.deleted_files, 1U);
  EXPECT_THAT(files(), UnorderedElementsAre("x_1.mcap", "x_2.mcap"));
}

TEST_F(RecorderTest, FilesOfEarlierRecordingsCountToo) {
  std::filesystem::current_path(folder_.path());
  folder_.write("2020-01-01_00-00-00.mcap", std::string(1000, 'x'));
  folder_.write("2020-01-02_00-00-00_1.mcap", std::string(1000, 'x'));
  folder_.write("mine.mcap", std::string(1000, 'x'));
  give(samples_);
  options_.target.path = "";
  options_.target.keep.bytes = 1500;
  RecordStatus status = record();
  std::filesystem::current_path("/");
  EXPECT_TRUE(std::filesystem::exists(folder_.path("mine.mcap")));
  EXPECT_FALSE(std::filesystem::exists(folder_.path("2020-01-01_00-00-00.mcap")));
  ASSERT_THAT(status.files, SizeIs(1));
}

/// What metadata.yaml and the files of a recording to a directory say, when only the newest are
/// kept.
class DirectoryRecorderTest : public RecorderTest,
                              public ::testing::WithParamInterface<std::pair<const char*, int>> {
 protected:
  DirectoryRecorderTest() {
    options_.target.path = folder_.path("x/");
    options_.target.write.format = GetParam().first;
    options_.target.write.metadata_version = GetParam().second;
    options_.target.split.messages = 2;
  }

  BagPtr open_strictly() const { return session_.open(folder_.path("x")); }
};

TEST_P(DirectoryRecorderTest, TheOldestFilesOfADirectoryGoAndTheMapStays) {
  Samples samples{{"/map", 0, "map"}};
  for (int i = 1; i < 9; ++i) samples.push_back({"/tick", i * kSecond, std::to_string(i)});
  on_subscribe = [=](Feed& feed) {
    Channel channel;
    channel.topic = "/map";
    channel.encoding = "ros1";
    channel.metadata["latching"] = "1";
    auto map = feed.add(channel);
    channel.topic = "/tick";
    channel.metadata.clear();
    auto tick = feed.add(channel);
    for (const Sample& sample : samples) {
      Time time = from_ns(sample.time);
      bool is_map = sample.topic == "/map";
      feed.push({(is_map ? map : tick).get(), 0, 0, time, time, as_bytes(sample.data)});
    }
    feed.close();
  };
  auto texts = [](const Samples& all) {
    std::vector<std::string> found;
    for (const Sample& sample : all) found.push_back(sample.data);
    return found;
  };
  record();
  EXPECT_EQ(open_strictly()->summary().messages, samples.size());
  EXPECT_THAT(texts(read("x")), ElementsAre("map", "1", "2", "3", "4", "5", "6", "7", "8"));

  for (std::uint64_t files : {2U, 1U}) {
    std::filesystem::remove_all(folder_.path("x"));
    options_.target.keep.files = files;
    record();
    EXPECT_THAT(warnings_, IsEmpty());
    auto bag = open_strictly();
    EXPECT_EQ(bag->summary().files, files);
    std::vector<std::string> newest = {"map", "6", "7", "8"};
    if (files == 1) newest = {"map", "8"};
    EXPECT_EQ(texts(read("x")), newest);
    EXPECT_EQ(bag->summary().messages, newest.size());
    std::map<std::string, std::uint64_t> counts;
    for (const ChannelPtr& channel : *bag->summary().channels) {
      counts[channel->topic] += bag->summary().message_counts[channel->slot];
    }
    EXPECT_THAT(counts, ElementsAre(std::pair("/map", 1), std::pair("/tick", newest.size() - 1)));
  }
}

INSTANTIATE_TEST_SUITE_P(Storages, DirectoryRecorderTest,
                         ::testing::Values(std::pair("mcap", 9), std::pair("sqlite3", 9),
                                           std::pair("sqlite3", 4)));

TEST_F(RecorderTest, EndsWhenTheDiskIsNearlyFull) {
  give(samples_, false);
  options_.target.min_free_bytes = UINT64_MAX;
  RecordStatus status = record();
  EXPECT_THAT(status.ended, HasSubstr("disk"));
  EXPECT_TRUE(status.lacks_space);
  EXPECT_EQ(read("x.mcap"), samples_);
}

TEST_F(RecorderTest, FreeSpaceAloneDeletesTheOldestFilesOfThisName) {
  for (const char* name : {"x_3.mcap", "x_4.mcap", "y_0.mcap"}) folder_.write(name, "old");
  give(samples_, false);
  options_.target.split.messages = 100;
  options_.target.min_free_bytes = UINT64_MAX;
  RecordStatus status = record();
  EXPECT_EQ(status.deleted_files, 2U);
  EXPECT_TRUE(status.lacks_space);
  EXPECT_EQ(read("x_5.mcap"), samples_);
  EXPECT_THAT(files(), UnorderedElementsAre("x_5.mcap", "y_0.mcap"));
}

TEST_F(RecorderTest, EndsWhenEveryTopicHasItsMessages) {
  give({{"/a", 0, "1"}, {"/a", 1, "2"}, {"/b", 2, "1"}, {"/a", 3, "3"}}, false);
  options_.limit = 1;
  RecordStatus status = record();
  EXPECT_THAT(read("x.mcap"), ElementsAre(Sample{"/a", 0, "1"}, Sample{"/b", 2, "1"}));
  EXPECT_THAT(status.ended, HasSubstr("limit"));
}

TEST_F(RecorderTest, EndsWhenItsTimeIsOverAndTellsOnceWhatNeverCame) {
  give(samples_, false);
  auto clock = std::make_shared<ManualClock>();
  options_.duration = 10s;
  options_.select.topics = {"/a", "/b", "/nope"};
  options_.on_warning = [this](const Error& warning) { warnings_.push_back(warning.message()); };
  Recorder recorder(options_, session_.with_clock(clock));
  std::atomic<bool> is_done = false;
  std::thread time([&] {
    while (!is_done) {
      if (!clock->advance_to_deadline()) std::this_thread::yield();
    }
  });
  RecordStatus status = recorder.run({});
  is_done = true;
  time.join();
  EXPECT_GE(status.elapsed, 10s);
  EXPECT_EQ(read("x.mcap"), samples_);
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr("no message has come on /nope for 5 s")));
}

TEST_F(RecorderTest, WhatComesWhileItIsPausedIsLeftOut) {
  give(samples_);
  options_.starts_paused = true;
  EXPECT_EQ(record().messages, 0U);
  EXPECT_THAT(read("x.mcap"), IsEmpty());
}

TEST_F(RecorderTest, WhatComesInAPauseBeforeTheClockIsNotDropped) {
  give(samples_);
  options_.uses_sim_time = true;
  EXPECT_THAT(record().dropped, UnorderedElementsAre(std::pair("/a", 2), std::pair("/b", 1)));
  std::filesystem::remove(folder_.path("x.mcap"));
  options_.starts_paused = true;
  EXPECT_THAT(record().dropped, IsEmpty());
  std::filesystem::remove(folder_.path("x.mcap"));
  give(samples_, true, {{"latching", "1"}});  // would have been stored after the pause
  EXPECT_THAT(record().dropped, UnorderedElementsAre(std::pair("/a", 2), std::pair("/b", 1)));
}

TEST_F(RecorderTest, WhatWasLatchedDuringAPauseIsStoredWhenItGoesOn) {
  give({{"/map", 0, "old"}, {"/map", 1, "new"}, {"/state", 2, "ready"}}, false,
       {{"latching", "1"}});
  Feed* feed = nullptr;
  ChannelPtr other;
  on_subscribe = [&, latched = on_subscribe](Feed& given) {
    feed = &given;
    latched(given);
    Channel plain;
    plain.topic = "/a";
    other = given.add(plain);
    given.push({other.get(), 0, 0, Time(), Time(), as_bytes("left out")});
  };
  options_.starts_paused = true;
  Recorder recorder(options_, session_.with_clock(clock_));
  std::stop_source stop;
  bool is_resumed = false;
  recorder.run(stop.get_token(), [&](const RecordStatus& now) {
    if (now.messages > 0) stop.request_stop();
    if (now.topics < 3 || std::exchange(is_resumed, true)) return;
    recorder.resume();
    Time later(3ns);
    feed->push({other.get(), 0, 0, later, later, as_bytes("goes on")});
  });
  Samples stored = read("x.mcap");
  ASSERT_THAT(stored, SizeIs(3));
  EXPECT_EQ(stored[0], (Sample{"/map", 1, "new"}));
  EXPECT_EQ(stored[1], (Sample{"/state", 2, "ready"}));
  EXPECT_EQ(stored[2].data, "goes on");
}

TEST_F(RecorderTest, ANameThatIsTakenMeanwhileIsPassedOver) {
  give(samples_);
  options_.target.split.messages = 1;
  folder_.write("x_1.mcap", "mine");
  EXPECT_THAT(record().files, SizeIs(3));
  EXPECT_THAT(files(), UnorderedElementsAre("x_0.mcap", "x_1.mcap", "x_2.mcap", "x_3.mcap"));
  EXPECT_EQ(folder_.read("x_1.mcap"), "mine");
}

TEST_F(RecorderTest, AFileThatIsRemovedMeanwhileIsAnError) {
  for (const char* name : {"x.mcap", "x/"}) {
    options_.target.path = folder_.path(name);
    give(samples_, false);
    Recorder recorder(options_, session_.with_clock(clock_));
    std::stop_source stop;
    auto remove_it = [&](const RecordStatus&) {
      std::filesystem::remove(folder_.path("x.mcap.active"));
      std::filesystem::remove(folder_.path("x/x_0.mcap"));
      stop.request_stop();
    };
    EXPECT_THAT(test::thrown_by([&] { recorder.run(stop.get_token(), remove_it); }).message(),
                HasSubstr("was removed during the recording"))
        << name;
  }
}

TEST_F(RecorderTest, AFileThatIsThereIsLeftAlone) {
  give(samples_);
  folder_.write("x.mcap", "mine");
  EXPECT_EQ(test::thrown_by([&] { record(); }).code(), ErrorCode::exists);
  EXPECT_EQ(folder_.read("x.mcap"), "mine");
}

TEST_F(RecorderTest, ASystemThatRefusesLeavesNoFile) {
  on_subscribe = [](Feed& feed) {
    feed.add(Channel{"/a", "ros1", nullptr, {}, 0});
    feed.fail(std::make_exception_ptr(Error(ErrorCode::io, "refused")));
  };
  for (std::uint64_t most : {0U, 10U}) {
    if (most > 0) options_.target.split.messages = most;
    EXPECT_EQ(test::thrown_by([&] { record(); }).message(), "refused");
    EXPECT_THAT(files(), IsEmpty());
  }
  options_.target.split = {};
  options_.target.write.may_replace = true;
  folder_.write("x.mcap", "mine");
  EXPECT_EQ(test::thrown_by([&] { record(); }).message(), "refused");
  EXPECT_EQ(folder_.read("x.mcap"), "mine");
  EXPECT_THAT(files(), ElementsAre("x.mcap"));
}

TEST_F(RecorderTest, WhatTheSystemThrowsIsThrownAndTheFileIsWhole) {
  on_subscribe = [](Feed& feed) {
    ChannelPtr channel = feed.add(Channel{"/a", "ros1", nullptr, {}, 0});
    Message message{channel.get(), 0, 0, from_ns(1), from_ns(1), as_bytes(std::string_view("x"))};
    feed.push(message);
    feed.fail(std::make_exception_ptr(Error(ErrorCode::io, "the system has gone")));
  };
  EXPECT_EQ(test::thrown_by([&] { record(); }).message(), "the system has gone");
  EXPECT_THAT(read("x.mcap"), ElementsAre(Sample{"/a", 1, "x", ""}));
}

}  // namespace
}  // namespace kitbag
