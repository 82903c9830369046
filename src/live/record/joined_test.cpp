#include "storage/directory/joined.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <map>
#include <random>
#include <set>
#include <thread>

#include "kitbag/open.h"
#include "kitbag/repair.h"
#include "storage/directory/change_metadata.h"
#include "storage/directory/files.h"
#include "tests/support/memory_source.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/thrown_by.h"

namespace kitbag::directory {
namespace {

using test::Samples;
using test::thrown_by;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

namespace fs = std::filesystem;

class JoinedTest : public ::testing::Test {
 protected:
  std::string bag() const { return folder_.path("today"); }

  std::shared_ptr<Joined> join(const WriteOptions& options = {}) {
    return std::make_shared<Joined>(bag(), options, session_);
  }

  /// A whole file with these samples; its path.
  std::string write(Joined& joined, const Samples& samples,
                    std::map<std::string, std::string> metadata = {}) {
    auto file = joined.next();
    file->write(test::batch_of(samples, {.metadata = std::move(metadata)}));
    file->close();
    return joined.newest();
  }

  Samples read(Order order = Order::time) const {
    Query query;
    query.order = order;
    return test::collect(*open()->read(query));
  }
  BagPtr open(const ReadOptions& options = {}) const { return session_.open(bag(), options); }
  rosbag2::BagMetadata metadata() const {
    return read_metadata(*local_file_system(), bag(), {}).value();
  }
  void put_metadata(const std::string& text) { folder_.write("today/metadata.yaml", text); }

  TemporaryFolder folder_;
  Session session_;
};

TEST_F(JoinedTest, NamesCannotCollideAndSayWhoHasWritten) {
  std::set<std::string> names;
  for (int i = 0; i < 1000; ++i) names.insert(new_writer_name());
  EXPECT_THAT(names, SizeIs(1000));
  EXPECT_EQ(writer_of("a/today_robot1-4711-x7k2qf_12.mcap"), "robot1-4711-x7k2qf");
  EXPECT_EQ(writer_of("today_my-robot-4711-x7k2qf_0.db3.zstd"), "my-robot-4711-x7k2qf");
  for (const char* other : {"run_0.mcap", "today_robot1-x7k2qf_0.mcap", "robot1-4711-x7k2qf_0.mcap",
                            "today_robot1-4711-x7k2qf.mcap", "today_robot1-4711-X7K2QF_0.mcap", "",
                            "_-4711-x7k2qf_0.mcap", "today_-4711-x7k2qf_.mcap"}) {
    EXPECT_EQ(writer_of(other), "") << other;
  }
  std::string name = new_writer_name();
  EXPECT_EQ(writer_of("today_" + name + "_0.mcap"), name);
}

TEST_F(JoinedTest, FilesThatOverlapAreReadInOrder) {
  auto a = join();
  auto b = join();
  write(*a, {{"/a", 1, "a1"}, {"/a", 4, "a4"}});
  write(*b, {{"/b", 2, "b2"}, {"/b", 5, "b5"}});
  write(*a, {{"/a", 6, "a6"}, {"/a", 9, "a9"}});
  write(*b, {{"/b", 5, "b5 again"}, {"/b", 8, "b8"}});
  std::vector<std::string> texts;
  for (const auto& sample : read()) texts.push_back(sample.data);
  EXPECT_THAT(texts, ElementsAre("a1", "b2", "a4", "b5", "b5 again", "a6", "b8", "a9"));
  std::vector<std::string> backwards;
  for (const auto& sample : read(Order::reverse_time)) backwards.push_back(sample.data);
  std::reverse(backwards.begin(), backwards.end());
  EXPECT_EQ(backwards, texts);
  EXPECT_EQ(metadata().messages, 8U);
  EXPECT_THAT(metadata().paths, SizeIs(4));
  EXPECT_EQ(open()->growth(), Growth::complete);
}

/// Many files of many writers, of which few write at a time, in any order.
TEST_F(JoinedTest, LanesOfManyWritersAreReadInOrder) {
  std::mt19937 random(7);
  std::vector<std::int64_t> expected;
  for (int writer = 0; writer < 30; ++writer) {
    auto joined = join({.chunk_bytes = 64});
    std::int64_t time = 100 * writer;
    for (int file = 0; file < 2; ++file) {
      Samples samples;
      for (int i = 0; i < 5; ++i) {
        time += 1 + static_cast<std::int64_t>(random() % 60);
        samples.push_back({"/x", time, std::to_string(writer)});
        expected.push_back(time);
      }
      write(*joined, samples);
    }
  }
  std::sort(expected.begin(), expected.end());
  std::vector<std::int64_t> times;
  for (const auto& sample : read()) times.push_back(sample.time);
  EXPECT_EQ(times, expected);
}

TEST_F(JoinedTest, WhatIsStillWrittenIsReadAndTheCountsComeWithTheEnd) {
  auto a = join();
  auto b = join({.chunk_bytes = 1});
  write(*a, {{"/a", 1, "a1"}});
  auto open_file = b->next();
  open_file->write(test::batch_of({{"/b", 2, "b2"}, {"/b", 3, "b3"}}));
  open_file->flush();
  std::vector<Error> problems;
  auto bag = open({.on_problem = [&](const Error& problem) { problems.push_back(problem); }});
  EXPECT_EQ(bag->summary().messages, 3U);
  EXPECT_NE(bag->growth(), Growth::complete);
  EXPECT_EQ(metadata().messages, 1U);
  EXPECT_EQ(test::collect(*bag->read({})).size(), 3U);
  bool has_remark = std::any_of(problems.begin(), problems.end(), [](const Error& problem) {
    return problem.code() == ErrorCode::remark;
  });
  EXPECT_TRUE(has_remark);
  open_file->close();
  EXPECT_EQ(metadata().messages, 3U);
  EXPECT_EQ(open()->growth(), Growth::complete);
}

TEST_F(JoinedTest, ARepairLeavesWhatIsBeingWritten) {
  auto a = join();
  auto b = join({.chunk_bytes = 1});
  write(*a, {{"/a", 1, "a1"}});
  auto open_file = b->next();
  open_file->write(test::batch_of({{"/b", 2, "b2"}}));
  open_file->flush();
  std::vector<Error> said;
  RepairOptions options;
  options.on_problem = [&](const Error& problem) { said.push_back(problem); };
  repair(bag(), bag(), options, session_);
  bool is_told = std::any_of(said.begin(), said.end(), [](const Error& problem) {
    return problem.message().find("stays as it is") != std::string::npos;
  });
  EXPECT_TRUE(is_told);
  EXPECT_EQ(metadata().messages, 1U);
  open_file->write(test::batch_of({{"/b", 3, "b3"}}));
  open_file->close();
  EXPECT_EQ(metadata().messages, 3U);
  EXPECT_THAT(read(), SizeIs(3));
}

TEST_F(JoinedTest, QosAndTypesThatDifferAreTold) {
  std::vector<Error> warnings;
  auto a = join();
  auto b = join({.on_warning = [&](const Error& warning) { warnings.push_back(warning); }});
  const char* reliable = "- history: 1\n  depth: 10\n  reliability: 1\n  durability: 2\n";
  const char* best_effort = "- history: 1\n  depth: 10\n  reliability: 2\n  durability: 2\n";
  write(*a, {{"/x", 1, "1"}}, {{"offered_qos_profiles", reliable}});
  write(*b, {{"/x", 2, "2"}, {"/x", 3, "3"}}, {{"offered_qos_profiles", best_effort}});
  EXPECT_THAT(warnings, IsEmpty());
  ASSERT_THAT(metadata().topics, SizeIs(2));
  auto summary = open()->summary();
  ASSERT_THAT(*summary.channels, SizeIs(2));
  for (const ChannelPtr& channel : *summary.channels) {
    bool is_first = channel->metadata.at("offered_qos_profiles") == reliable;
    EXPECT_EQ(summary.message_counts[channel->slot], is_first ? 1U : 2U);
  }
  write(*a, {{"/x", 4, "4"}}, {{"offered_qos_profiles", reliable}});
  EXPECT_THAT(metadata().topics, SizeIs(2));
  write(*b, {{"/x", 5, "5", "test/Other"}});
  ASSERT_THAT(warnings, SizeIs(1));
  EXPECT_THAT(warnings[0].message(), HasSubstr("topic /x has the type test/Other"));
}

TEST_F(JoinedTest, DamagedMetadataIsMadeAnewAndRefusedAtTheBegin) {
  auto a = join();
  write(*a, {{"/a", 1, "a1"}, {"/a", 2, "a2"}});
  for (const std::string& hostile :
       {std::string("}{"), std::string(), std::string(1 << 16, '['),
        std::string("rosbag2_bagfile_information: {version: 99}"),
        std::string("rosbag2_bagfile_information: {version: 5, relative_file_paths: [../../x]}")}) {
    auto b = join();
    auto file = b->next();
    put_metadata(hostile);
    file->write(test::batch_of({{"/b", 3, "b3"}}));
    file->close();
    EXPECT_EQ(metadata().messages, metadata().paths.size() + 1) << hostile.substr(0, 40);
    EXPECT_EQ(read().size(), metadata().messages);
  }
  put_metadata("}{");
  auto c = join();
  EXPECT_EQ(thrown_by([&] { c->next(); }).code(), ErrorCode::corrupt);
}

TEST_F(JoinedTest, AMemberThatWasRemovedAndOneThatNobodyLists) {
  auto a = join();
  std::string first = write(*a, {{"/a", 1, "a1"}});
  auto b = join();
  std::string second = write(*b, {{"/b", 2, "b2"}});
  fs::remove(first);
  write(*b, {{"/b", 3, "b3"}});
  std::vector<Error> problems;
  auto bag = open({.on_problem = [&](const Error& problem) { problems.push_back(problem); }});
  EXPECT_EQ(bag->summary().messages, 2U);
  EXPECT_THAT(problems[0].message(), HasSubstr("does not exist"));
  repair(this->bag(), this->bag(), {}, session_);
  EXPECT_EQ(open()->summary().messages, 2U);
  // Somebody has put an older metadata.yaml back.
  auto older = metadata();
  remove_file(older, *place_of(older, second));
  older.topics[0].messages -= 1;
  sum_up(older);
  write_metadata(*local_file_system(), this->bag(), older, older.version);
  auto c = join();
  write(*c, {{"/c", 4, "c4"}});
  older = metadata();
  for (const std::string& path : older.paths) EXPECT_NE(path, fs::path(second).filename());
  EXPECT_THAT(read(), SizeIs(2));  // b_0 comes before b_1, which is listed
}

TEST_F(JoinedTest, AWriterThatNobodyListsIsRead) {
  auto a = join();
  write(*a, {{"/a", 1, "a1"}});
  auto before = metadata();
  auto b = join();
  write(*b, {{"/b", 2, "b2"}});
  write_metadata(*local_file_system(), bag(), before, before.version);
  folder_.write("today/other_robot-1-aaaaaa_0.mcap", "of another bag");
  std::vector<Error> problems;
  auto bag = open({.on_problem = [&](const Error& problem) { problems.push_back(problem); }});
  EXPECT_EQ(bag->summary().messages, 2U);
  ASSERT_THAT(problems, SizeIs(1));
  EXPECT_EQ(problems[0].code(), ErrorCode::remark);
}

TEST_F(JoinedTest, AFileWithoutMessagesThatIsNotClosedDisappears) {
  auto a = join();
  write(*a, {{"/a", 1, "a1"}});
  {
    auto b = join();
    auto file = b->next();
    EXPECT_THAT(metadata().paths, SizeIs(2));
  }
  EXPECT_THAT(metadata().paths, SizeIs(1));
  EXPECT_EQ(open()->growth(), Growth::complete);
  auto c = join();
  c->next()->close();  // one that was closed stays
  EXPECT_THAT(metadata().paths, SizeIs(2));
}

TEST_F(JoinedTest, AWriterThatNeedsTheDirectoryAloneWaitsAndIsWaitedFor) {
  auto a = join();
  write(*a, {{"/a", 1, "a1"}});
  EXPECT_EQ(thrown_by([&] { session_.append(bag(), {}); }).code(), ErrorCode::busy);
  a->release();
  auto alone = session_.append(bag(), {});
  auto b = join();
  EXPECT_EQ(thrown_by([&] { b->next(); }).code(), ErrorCode::busy);
  alone->close();
  write(*b, {{"/b", 2, "b2"}});
  EXPECT_THAT(read(), SizeIs(2));
}

TEST_F(JoinedTest, WhatIsNoBagAndOtherKindsOfFilesAreRefused) {
  fs::create_directory(bag());
  folder_.write("today/notes.txt", "mine");
  auto joined = join();
  EXPECT_THAT(thrown_by([&] { joined->next(); }).message(), HasSubstr("notes.txt"));
  EXPECT_EQ(std::distance(fs::directory_iterator(bag()), fs::directory_iterator()), 1);
  fs::remove_all(bag());
  folder_.write("today", "a file");
  EXPECT_EQ(thrown_by([&] { joined->next(); }).code(), ErrorCode::invalid);
  fs::remove(bag());
  write(*joined, {{"/a", 1, "a1"}});
  EXPECT_THAT(thrown_by([&] { join({.format = "sqlite3"})->next(); }).message(),
              HasSubstr("are mcap, and these would be sqlite3"));
  EXPECT_THAT(thrown_by([&] { join({.compression = "zstd_file"})->next(); }).message(),
              HasSubstr("compressed by FILE"));
  EXPECT_THAT(metadata().paths, SizeIs(1));
}

TEST_F(JoinedTest, ThreadsThatBeginTogetherAreAllListed) {
  for (int race = 0; race < 3; ++race) {
    fs::remove_all(bag());
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&, i] {
        auto joined = join();
        for (int file = 0; file < 3; ++file) write(*joined, {{"/x", 10 * i + file, "x"}});
      });
    }
    threads.clear();
    EXPECT_EQ(metadata().messages, 12U);
    EXPECT_THAT(read(), SizeIs(12));
  }
}

TEST_F(JoinedTest, WorksInMemoryToo) {
  auto a = std::make_shared<Joined>("memory://today/", WriteOptions(), session_);
  auto b = std::make_shared<Joined>("memory://today/", WriteOptions(), session_);
  write(*a, {{"/a", 1, "a1"}});
  write(*b, {{"/b", 2, "b2"}});
  EXPECT_EQ(session_.open("memory://today/")->summary().messages, 2U);
}

}  // namespace
}  // namespace kitbag::directory
