#include <gmock/gmock.h>

#include <deque>
#include <filesystem>
#include <set>

#include "io/sticky.h"
#include "kitbag/open.h"
#include "kitbag/pipeline.h"
#include "tests/support/manual_clock.h"
#include "tests/support/memory_writer.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/thrown_by.h"

namespace kitbag {
namespace {

using test::memory_source;
using test::MemoryWriter;
using test::Sample;
using test::Samples;
using test::thrown_by;
using test::Written;
using testing::Each;
using testing::ElementsAre;
using namespace std::chrono_literals;

/// The files of a split; addresses stay.
struct Files {
  std::deque<Written> written;
  std::deque<std::size_t> indexes;
  MemoryWriter* open = nullptr;

  NextWriter next() {
    return [this](std::size_t index) {
      indexes.push_back(index);
      auto writer = std::make_unique<MemoryWriter>(written.emplace_back());
      open = writer.get();
      return writer;
    };
  }
  std::vector<std::size_t> counts() const {
    std::vector<std::size_t> counts;
    for (const Written& file : written) counts.push_back(file.samples.size());
    return counts;
  }
  Samples all() const {
    Samples all;
    for (const Written& file : written) {
      all.insert(all.end(), file.samples.begin(), file.samples.end());
    }
    return all;
  }
};

Samples every_second(std::size_t count, std::string data = "") {
  Samples samples;
  for (std::size_t i = 0; i < count; ++i) {
    samples.push_back({i % 2 ? "/b" : "/a", static_cast<std::int64_t>(i) * 1'000'000'000, data});
  }
  return samples;
}

void split_into(Files& files, const SplitLimits& limits, const Samples& samples,
                std::size_t batch_messages = 256) {
  ManualClock clock;
  auto sink = split(limits, files.next());
  auto source = memory_source(samples, {.batch_messages = batch_messages});
  run(*source, *sink, clock);
  sink->close();
}

TEST(Split, WhatIsRepeatedStaysTogether) {
  ManualClock clock;
  Files files;
  auto sink = split({.messages = 2}, files.next());
  auto source = memory_source(every_second(5), {.metadata = {{kRepeatedKey, "1"}}});
  run(*source, *sink, clock);
  sink->close();
  EXPECT_THAT(files.counts(), ElementsAre(5));
}

TEST(Split, ByMessagesWhateverTheBatches) {
  for (std::size_t batch : {1U, 2U, 3U, 4U, 256U}) {
    Files files;
    split_into(files, {.messages = 3}, every_second(10), batch);
    EXPECT_THAT(files.counts(), ElementsAre(3, 3, 3, 1)) << batch;
    EXPECT_THAT(files.indexes, ElementsAre(0, 1, 2, 3));
    EXPECT_EQ(files.all(), every_second(10));
    EXPECT_THAT(files.written, Each(::testing::Field(&Written::is_closed, true)));
  }
}

TEST(Split, AFullLastFileIsNotFollowedByAnEmptyOne) {
  Files files;
  split_into(files, {.messages = 5}, every_second(10));
  EXPECT_THAT(files.counts(), ElementsAre(5, 5));
}

TEST(Split, ByDurationFromEachFilesFirstMessage) {
  Files files;
  split_into(files, {.duration = 2s}, every_second(7));
  EXPECT_THAT(files.counts(), ElementsAre(3, 3, 1));  // a file of just 2 s does not exceed 2 s
  Files uneven;
  split_into(uneven, {.duration = 2s},
             {{"/a", 0, ""}, {"/a", 2'000'000'001, ""}, {"/a", 4'000'000'001, ""}});
  EXPECT_THAT(uneven.counts(), ElementsAre(1, 2));
}

TEST(Split, MessagesFromBeforeTheFirstDoNotEndAFile) {
  Files files;
  split_into(files, {.duration = 1ns}, {{"/a", 100, ""}, {"/a", INT64_MIN, ""}, {"/a", 101, ""}});
  EXPECT_THAT(files.counts(), ElementsAre(3));
}

TEST(Split, TimesMayLieFurtherApartThanADurationCanSay) {
  Files files;
  split_into(files, {.duration = Duration::max()},
             {{"/a", INT64_MIN, ""}, {"/a", 0, ""}, {"/a", INT64_MAX, ""}});
  EXPECT_THAT(files.counts(), ElementsAre(1, 2));
}

TEST(Split, ByBytesBeforeTheMessageThatFindsTheLimitReached) {
  for (std::size_t batch : {1U, 7U, 256U}) {
    Files files;
    // 100 bytes, and 40 + 10 for each message: 1100 is reached with the 20th.
    split_into(files, {.bytes = 1100}, every_second(50, std::string(40, 'x')), batch);
    EXPECT_THAT(files.counts(), ElementsAre(20, 20, 10)) << batch;
    Files beyond;
    split_into(beyond, {.bytes = 1101}, every_second(50, std::string(40, 'x')), batch);
    EXPECT_THAT(beyond.counts(), ElementsAre(21, 21, 8)) << batch;
  }
}

TEST(Split, AFileHoldsOneMessageAtLeast) {
  Files files;
  split_into(files, {.bytes = 1, .duration = 1ns}, every_second(4, std::string(100, 'x')));
  EXPECT_THAT(files.counts(), ElementsAre(1, 1, 1, 1));
}

TEST(Split, ByWhatComesFirst) {
  Files files;
  split_into(files, {.duration = 3s, .messages = 2},
             {{"/a", 0, ""}, {"/a", 1, ""}, {"/a", 2, ""}, {"/a", 5'000'000'000, ""}});
  EXPECT_THAT(files.counts(), ElementsAre(2, 1, 1));
}

TEST(Split, WithoutLimitsBatchesGoThroughWhole) {
  Files files;
  split_into(files, {}, every_second(20), 8);
  ASSERT_EQ(files.written.size(), 1U);
  EXPECT_THAT(files.written[0].batches, ElementsAre(0, 0, 8, 8, 4));
}

TEST(Split, EveryFileDeclaresAllChannelsKnownWhenItBegan) {
  Files files;
  split_into(files, {.messages = 1}, {{"/a", 1, ""}, {"/b", 2, ""}, {"/c", 3, ""}});
  for (const Written& file : files.written) {
    EXPECT_EQ(file.batches.front(), 0U);
    EXPECT_THAT(test::topics_of(file.channels), ElementsAre("/a", "/b", "/c"));
  }
}

TEST(Split, LateChannelsReachTheFileThatIsOpen) {
  Files files;
  ManualClock clock;
  auto sink = split({.messages = 2}, files.next());
  auto source = memory_source({{"/a", 1, ""}, {"/b", 2, ""}, {"/c", 3, ""}},
                              {.batch_messages = 1, .declares_late = true});
  run(*source, *sink, clock);
  EXPECT_THAT(test::topics_of(files.written[0].channels), ElementsAre("/a", "/b"));
  EXPECT_THAT(test::topics_of(files.written[1].channels), ElementsAre("/a", "/b", "/c"));
}

TEST(Split, WithoutMessagesThereIsOneFile) {
  Files declared;
  split_into(declared, {.messages = 1}, {});
  EXPECT_THAT(declared.counts(), ElementsAre(0));
  Files untouched;
  split({.messages = 1}, untouched.next())->close();
  EXPECT_THAT(untouched.counts(), ElementsAre(0));
  EXPECT_TRUE(untouched.written[0].is_closed);
  EXPECT_NE(untouched.written[0].channels, nullptr);
}

TEST(Split, AnAbandonedSplitLeavesTheFilesThatWereComplete) {
  Files files;
  {
    auto sink = split({.messages = 2}, files.next());
    sink->write(test::batch_of(every_second(3)));
  }
  EXPECT_TRUE(files.written[0].is_closed);
  EXPECT_FALSE(files.written[1].is_closed);
}

TEST(Split, TicksAndFlushesTheOpenFile) {
  Files files;
  auto sink = split({.messages = 2}, files.next());
  EXPECT_EQ(sink->due(), kNever);
  sink->tick(SteadyTime(1s));
  sink->flush();
  sink->write(test::batch_of(every_second(3)));
  files.open->next_due = SteadyTime(5s);
  EXPECT_EQ(sink->due(), SteadyTime(5s));
  sink->tick(SteadyTime(6s));
  sink->flush();
  EXPECT_THAT(files.written[1].ticks, ElementsAre(SteadyTime(6s)));
  EXPECT_EQ(files.written[1].flushes, 1U);
  EXPECT_EQ(files.written[0].flushes, 0U);
}

TEST(Split, ErrorsAreSticky) {
  Files files;
  auto sink = split({.messages = 2}, files.next());
  sink->write(test::batch_of(every_second(1)));
  files.open->next_error.emplace(ErrorCode::io, "the disk is full");
  EXPECT_EQ(thrown_by([&] { sink->write(test::batch_of(every_second(1))); }).code(), ErrorCode::io);
  files.open->next_error.reset();
  auto same = testing::StrEq("the disk is full");
  EXPECT_THAT(thrown_by([&] { sink->write(test::batch_of(every_second(1))); }).what(), same);
  EXPECT_THAT(thrown_by([&] { sink->flush(); }).what(), same);
  EXPECT_THAT(thrown_by([&] { sink->close(); }).what(), same);
  EXPECT_FALSE(files.written[0].is_closed);
}

TEST(Split, MessagesThatAreRefusedDoNotCount) {
  Files files;
  auto sink = split({.messages = 2}, files.next());
  sink->write(test::batch_of(every_second(1)));
  files.open->next_refusal =
      std::make_exception_ptr(Refusal(ErrorCode::unsupported, "the time does not fit"));
  EXPECT_EQ(thrown_by([&] { sink->write(test::batch_of(every_second(1))); }).code(),
            ErrorCode::unsupported);
  sink->write(test::batch_of(every_second(2)));
  sink->close();
  EXPECT_THAT(files.counts(), ElementsAre(2, 1));
}

TEST(Split, NothingFollowsTheClosing) {
  Files files;
  auto sink = split({}, files.next());
  sink->close();
  sink->close();
  EXPECT_EQ(files.written.size(), 1U);
  Error error = thrown_by([&] { sink->write(test::batch_of(every_second(1))); });
  EXPECT_EQ(error.code(), ErrorCode::invalid);
}

TEST(Split, RefusesLimitsThatMeanNothing) {
  Files files;
  for (SplitLimits limits : {SplitLimits{.bytes = 0}, SplitLimits{.duration = 0s},
                             SplitLimits{.duration = -1s}, SplitLimits{.messages = 0}}) {
    EXPECT_EQ(thrown_by([&] { split(limits, files.next()); }).code(), ErrorCode::invalid);
  }
  EXPECT_TRUE(files.written.empty());
}

TEST(Split, PublishesOnceTheLastFileIsClosed) {
  Files files;
  int published = 0;
  auto sink = split({.messages = 1}, SplitFiles{files.next(), [&] {
                                                  EXPECT_TRUE(files.written.back().is_closed);
                                                  ++published;
                                                }});
  sink->write(test::batch_of(every_second(3)));
  EXPECT_EQ(published, 0);
  sink->close();
  sink->close();
  EXPECT_EQ(published, 1);
}

/// What is not hidden.
std::vector<std::string> visible(const TemporaryFolder& folder) {
  std::vector<std::string> names;
  for (const std::string& name : folder.names()) {
    if (!name.starts_with(".")) names.push_back(name);
  }
  return names;
}

TEST(SplitTo, NoFileAppearsBeforeAllAreComplete) {
  for (bool is_closed : {true, false}) {
    TemporaryFolder folder;
    {
      auto sink = split({.messages = 1}, split_to(folder.path("run.mcap"), {}, Session()));
      sink->write(test::batch_of(every_second(3)));
      EXPECT_THAT(visible(folder), ElementsAre());
      if (is_closed) sink->close();
    }
    std::set<std::string> all = {"run_0.mcap", "run_1.mcap", "run_2.mcap"};
    EXPECT_EQ(folder.names(), is_closed ? all : std::set<std::string>());
  }
}

TEST(SplitTo, NorDoesADirectory) {
  for (bool is_closed : {true, false}) {
    TemporaryFolder folder;
    {
      auto sink =
          split({.messages = 1}, split_to(folder.path("run/"), {.format = "mcap"}, Session()));
      sink->write(test::batch_of(every_second(3)));
      EXPECT_THAT(visible(folder), ElementsAre());
      if (is_closed) sink->close();
    }
    EXPECT_EQ(folder.names(), is_closed ? std::set<std::string>{"run"} : std::set<std::string>());
    if (!is_closed) continue;
    EXPECT_EQ(Session().open(folder.path("run"))->summary().messages, 3U);
  }
}

TEST(SplitTo, ADirectoryThatIsThereIsNotReplaced) {
  TemporaryFolder folder;
  std::filesystem::create_directory(folder.path("run"));
  folder.write("run/notes.txt", "mine");
  auto sink = split({.messages = 1}, split_to(folder.path("run/"), {.format = "mcap"}, Session()));
  Error error = thrown_by([&] { sink->write(test::batch_of(every_second(1))); });
  EXPECT_EQ(error.code(), ErrorCode::invalid);
  sink.reset();
  EXPECT_EQ(folder.names(), std::set<std::string>{"run"});
}

TEST(SplitTo, ErrorsTellOfTheFileAsItWillBeCalled) {
  TemporaryFolder folder;
  std::filesystem::create_directory(folder.path("run_1.mcap"));
  auto sink = split({.messages = 1}, split_to(folder.path("run.mcap"), {}, Session()));
  Error error = thrown_by([&] { sink->write(test::batch_of(every_second(2))); });
  EXPECT_EQ(error.file(), folder.path("run_1.mcap"));
}

TEST(SplitPath, NumbersBeforeTheExtension) {
  EXPECT_EQ(split_path("run.bag", 2), "run_2.bag");
  EXPECT_EQ(split_path("dir/run.bag", 0), "dir/run_0.bag");
  EXPECT_EQ(split_path("a.b/run.x.bag", 10), "a.b/run.x_10.bag");
}

TEST(SplitPath, WithoutAnExtensionAtTheEnd) {
  EXPECT_EQ(split_path("run", 2), "run_2");
  EXPECT_EQ(split_path("a.b/run", 2), "a.b/run_2");
  EXPECT_EQ(split_path("../run", 2), "../run_2");
  EXPECT_EQ(split_path("dir/.hidden", 1), "dir/.hidden_1");
  EXPECT_EQ(split_path(".hidden", 1), ".hidden_1");
}

}  // namespace
}  // namespace kitbag
