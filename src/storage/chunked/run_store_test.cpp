#include "storage/chunked/run_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "base/little_endian.h"
#include "storage/chunked/bag.h"
#include "tests/support/thrown_by.h"

namespace kitbag {
namespace {

using test::thrown_by;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::size_t kRunHead = 15;

/// 'R', 'm' or 'o', a letter that is the key, u64 time, u32 size, data.
class LetterParser final : public RunParser {
 public:
  explicit LetterParser(bool may_learn) : may_learn_(may_learn) {}

  RunRecord parse(ByteView bytes, RunScratch&) const override {
    std::string_view text = as_text(bytes);
    bool is_record = text[0] == 'R' && (text.size() < 2 || text[1] == 'm' || text[1] == 'o');
    if (!is_record) return {};
    if (bytes.size() < kRunHead) return RunRecord::needs(kRunHead);
    RunRecord record;
    record.kind = text[1] == 'm' ? RunRecord::Kind::message : RunRecord::Kind::other;
    record.head_bytes = kRunHead;
    record.bytes = kRunHead + load_le<std::uint32_t>(bytes.data() + 11);
    record.time = from_ns(load_le<std::int64_t>(bytes.data() + 3));
    if (text[2] == learned_ && may_learn_) {
      record.slot = learned_slot_;
    } else {
      record.key = text.substr(2, 1);
    }
    return record;
  }
  void learn(ByteView head, std::uint32_t slot) override {
    learned_ = as_text(head)[2];
    learned_slot_ = slot;
  }
  void note(ByteView head) override { notes_ += as_text(head)[2]; }
  Channel describe(std::string_view key) const override {
    return {std::string(key), "ros1", nullptr, {}, 99};
  }
  std::vector<Channel> silent_channels(const Channels& known) const override {
    std::vector<Channel> silent;
    for (char note : notes_) {
      auto is_it = [&](const ChannelPtr& channel) { return channel->topic[0] == note; };
      if (std::none_of(known.begin(), known.end(), is_it)) {
        silent.push_back({std::string(1, note), "ros1", nullptr, {}, 99});
      }
    }
    return silent;
  }
  std::size_t find_record(ByteView bytes) const override {
    std::string_view text = as_text(bytes);
    return std::min({text.find("Rm"), text.find("Ro"), text.size()});
  }

 private:
  bool may_learn_;
  char learned_ = '\0';
  std::uint32_t learned_slot_ = 0;
  std::string notes_;
};

/// A file that records what was read of it, and may be cut while it is open.
class WatchedFile final : public ReadFile {
 public:
  explicit WatchedFile(std::string bytes) : bytes_(std::move(bytes)) {}

  std::uint64_t size() const override { return bytes_.size(); }
  std::size_t read(std::uint64_t offset, std::span<std::byte> into) const override {
    std::size_t end = std::min(bytes_.size(), there);
    if (offset >= end) return 0;
    std::size_t count = std::min<std::size_t>(into.size(), end - offset);
    std::memcpy(into.data(), bytes_.data() + offset, count);
    read_bytes += count;
    return count;
  }

  void overwrite(std::string bytes) { bytes_ = std::move(bytes); }

  std::size_t there = SIZE_MAX;
  mutable std::atomic<std::uint64_t> read_bytes = 0;

 private:
  std::string bytes_;
};

std::string run_record(char kind, char key, std::int64_t time, const std::string& data) {
  std::string record = {'R', kind, key};
  record.resize(kRunHead);
  std::byte* to = std::as_writable_bytes(std::span(record)).data() + 3;
  store_le(store_le(to, time), static_cast<std::uint32_t>(data.size()));
  return record + data;
}

std::string run_message(char key, std::int64_t time, const std::string& data) {
  return run_record('m', key, time, data);
}

/// An opened run, and the damage reported.
struct OpenedRun {
  explicit OpenedRun(const std::string& bytes, bool may_learn = true)
      : file(std::make_shared<WatchedFile>(bytes)) {
    ReadOptions options{.on_problem = [this](const Error& e) { problems.push_back(e); }};
    store = std::make_shared<const RunStore>(file, "run", 0,
                                             std::make_unique<LetterParser>(may_learn), options);
    bag = std::make_unique<ChunkedBag>(store, Summary(), file);
  }

  /// "KEY TIME SIZE" of all messages in file order.
  std::vector<std::string> lines(Order order = Order::file) const {
    std::vector<std::string> lines;
    Query query;
    query.order = order;
    auto source = bag->read(query);
    for (Batch batch; source->read(batch, {}); batch.clear()) {
      for (const Message& message : batch.messages()) {
        lines.push_back(message.channel->topic + " " + std::to_string(to_ns(message.log_time)) +
                        " " + std::to_string(message.data.size()));
      }
    }
    return lines;
  }

  std::vector<Error> problems;
  std::shared_ptr<WatchedFile> file;
  std::shared_ptr<const RunStore> store;
  std::unique_ptr<ChunkedBag> bag;
};

TEST(RunStore, GivesChannelsAndMessagesWithOrWithoutLearning) {
  for (bool may_learn : {true, false}) {
    OpenedRun run(run_message('a', 1, "x") + run_message('b', 3, "") + run_message('a', 2, "yy"),
                  may_learn);
    EXPECT_THAT(run.lines(), ElementsAre("a 1 1", "b 3 0", "a 2 2"));
    EXPECT_THAT(run.lines(Order::time), ElementsAre("a 1 1", "a 2 2", "b 3 0"));
    EXPECT_THAT(run.bag->summary().message_counts, ElementsAre(2, 1));
    EXPECT_EQ(run.bag->summary().chunks, 0U);
    EXPECT_THAT(run.bag->chunks(), IsEmpty());
    EXPECT_EQ((*run.store->channels())[1]->slot, 1U);
    EXPECT_THAT(run.problems, IsEmpty());
  }
}

TEST(RunStore, SumsTimesByChannel) {
  OpenedRun run(run_message('a', 1, "x") + run_message('b', 3, "") + run_message('a', 2, "yy"));
  TimeSum expected;
  expected.add(from_ns(2));
  expected.add(from_ns(1));
  EXPECT_EQ(run.store->times(0), expected);
  expected.add(from_ns(3));
  TimeSum both = run.store->times(0);
  both.add(run.store->times(1));
  EXPECT_EQ(both, expected);
  EXPECT_EQ(run.store->times(7), TimeSum());
}

TEST(RunStore, DeclaresChannelsThatAreToldOfOnly) {
  OpenedRun run(run_record('o', 's', 0, "told") + run_record('o', 'a', 0, "") +
                run_message('a', 1, "x"));
  ASSERT_EQ(run.store->channels()->size(), 2U);
  EXPECT_EQ((*run.store->channels())[1]->topic, "s");
  EXPECT_EQ((*run.store->channels())[1]->slot, 1U);
  EXPECT_THAT(run.bag->summary().message_counts, ElementsAre(1, 0));
}

TEST(RunStore, CutsTheRunIntoChunks) {
  std::string bytes;
  for (int i = 0; i < 3000; ++i) bytes += run_message('a', i, std::string(1000, 'x'));
  OpenedRun run(bytes);
  const ChunkTable& table = run.store->table();
  ASSERT_GE(table.chunks.size(), 5U);
  EXPECT_LE(table.chunks.size(), 7U);
  std::uint64_t messages = 0;
  for (std::size_t i = 0; i < table.chunks.size(); ++i) {
    ChunkSummary summary = run.store->summarize(i);
    EXPECT_EQ(summary.compression, "none");
    EXPECT_EQ(to_ns(summary.start), static_cast<std::int64_t>(messages));
    messages += summary.messages;
  }
  EXPECT_EQ(messages, 3000U);
  EXPECT_EQ(run.lines().size(), 3000U);
}

TEST(RunStore, AnIndexBehindTheMessagesIsNotReadWithThem) {
  std::string bytes = run_record('o', 'h', 0, std::string(4000, ' '));
  bytes += run_message('a', 1, "x");
  std::size_t end = bytes.size();
  bytes += run_record('o', 'i', 0, std::string(3'000'000, 'i'));
  OpenedRun run(bytes);
  ASSERT_EQ(run.store->table().chunks.size(), 1U);
  EXPECT_EQ(run.store->table().chunks[0].offset, 4000U + kRunHead);
  EXPECT_EQ(run.store->summarize(0).bytes, end - 4000 - kRunHead);
}

TEST(RunStore, StepsOverDataThatIsLargerThanItsWindow) {
  std::string bytes;
  for (int i = 0; i < 4; ++i) {
    bytes +=
        run_message('a', 2 * i, std::string(5'000'000, 'x')) + run_message('b', 2 * i + 1, "y");
  }
  OpenedRun run(bytes);
  EXPECT_EQ(run.bag->summary().messages, 8U);
  EXPECT_LT(run.file->read_bytes, 3'000'000U) << "of twenty million";
  EXPECT_EQ(run.lines()[6], "a 6 5000000");
  EXPECT_EQ(run.lines()[7], "b 7 1");
}

TEST(RunStore, RecordsMayLieAcrossTheEdgeOfItsWindow) {
  constexpr std::size_t kWindow = 256 << 10;
  for (std::size_t front = kWindow - 40; front < kWindow + 3; ++front) {
    std::string bytes = run_message('a', 1, std::string(front - kRunHead, 'x'));
    for (int i = 2; i < 5; ++i) bytes += run_message(i == 3 ? 'b' : 'a', i, "data");
    OpenedRun run(bytes);
    ASSERT_EQ(run.lines().size(), 4U) << front;
    ASSERT_EQ(run.lines()[2], "b 3 4") << front;
    ASSERT_THAT(run.problems, IsEmpty());
  }
}

TEST(RunStore, DamageMayLieAcrossTheEdgeOfItsWindow) {
  constexpr std::size_t kWindow = 256 << 10;
  for (std::size_t front : {kWindow - 5000, kWindow - 4096, kWindow - 20, kWindow, 3 * kWindow}) {
    for (std::size_t hole : {std::size_t{1}, std::size_t{30}, std::size_t{5000}, 2 * kWindow}) {
      std::string bytes = run_message('a', 1, std::string(front - kRunHead, 'x'));
      bytes += std::string(hole, '?');
      bytes += run_message('b', 2, std::string(kWindow, 'y')) + run_message('a', 3, "z");
      OpenedRun run(bytes);
      ASSERT_EQ(run.lines().size(), 3U) << front << " " << hole;
      ASSERT_EQ(run.problems.size(), 1U);
      EXPECT_EQ(run.problems[0].offset(), front);
      EXPECT_EQ(run.problems[0].code(), ErrorCode::corrupt);
      EXPECT_EQ(run.problems[0].loss().value().bytes, hole);
      EXPECT_EQ(run.problems[0].loss()->from, from_ns(1));
      EXPECT_EQ(run.problems[0].loss()->to, from_ns(2));
    }
  }
}

TEST(RunStore, OneRecordBetweenDamageIsAnAccident) {
  std::string bytes = run_message('a', 1, "x") + "???" + run_message('b', 2, "y") + "???";
  bytes += run_message('a', 3, "z") + run_message('a', 4, "z");
  EXPECT_THAT(OpenedRun(bytes).lines(), ElementsAre("a 1 1", "a 3 1", "a 4 1"));
  bytes = run_message('a', 1, "x") + "???" + run_message('b', 2, "y");
  EXPECT_THAT(OpenedRun(bytes).lines(), ElementsAre("a 1 1", "b 2 1"))
      << "up to the end it is none";
}

TEST(RunStore, ARecordThatHasSwallowedOthersIsGivenUp) {
  std::string liar = run_message('a', 2, "0123456789");
  std::string behind;
  for (int i = 3; i < 9; ++i) behind += run_message('b', i, "data");
  liar[11] = static_cast<char>(10 + 3 * (kRunHead + 4) + 7);  // into the fourth behind it
  OpenedRun run(run_message('a', 1, "x") + liar + behind);
  EXPECT_THAT(run.lines(),
              ElementsAre("a 1 1", "b 3 4", "b 4 4", "b 5 4", "b 6 4", "b 7 4", "b 8 4"));
  ASSERT_EQ(run.problems.size(), 1U);
  EXPECT_THAT(run.problems[0].what(), HasSubstr("run at byte 16: the length of the record here"));
  EXPECT_EQ(run.problems[0].loss().value().bytes, liar.size());
}

TEST(RunStore, ARecordWithOthersInItIsKeptWhenTheyEndWithIt) {
  std::string inner;
  for (int i = 0; i < 50; ++i) inner += run_message('i', i, "inner");
  std::string bytes = run_message('a', 1, inner) + "???" + run_message('a', 2, "x");
  bytes += run_message('a', 3, "x");
  OpenedRun run(bytes);
  EXPECT_THAT(run.lines(), ElementsAre("a 1 1000", "a 2 1", "a 3 1"));
}

TEST(RunStore, CutAtAnyByteGivesWhatIsWhole) {
  std::string bytes = run_message('a', 1, "xyz") + run_record('o', 'a', 0, "note");
  std::vector<std::size_t> ends = {3 + kRunHead};
  for (int i = 2; i < 6; ++i) {
    bytes += run_message('b', i, std::string(static_cast<std::size_t>(i), 'd'));
    ends.push_back(bytes.size());
  }
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    OpenedRun run(bytes.substr(0, size));
    auto whole = std::upper_bound(ends.begin(), ends.end(), size) - ends.begin();
    EXPECT_EQ(run.lines().size(), static_cast<std::size_t>(whole)) << size;
    for (const Error& problem : run.problems) EXPECT_EQ(problem.code(), ErrorCode::truncated);
  }
}

TEST(RunStore, ZerosToTheEndAreLeftOut) {
  OpenedRun run(run_message('a', 1, "x") + std::string(1'000'000, '\0'));
  EXPECT_EQ(run.lines().size(), 1U);
  ASSERT_EQ(run.problems.size(), 1U);
  EXPECT_THAT(run.problems[0].what(), HasSubstr("1000000 bytes are left out, up to the end"));
}

TEST(RunStore, StrictReadingThrowsTheFirstDamage) {
  auto file = std::make_shared<WatchedFile>(run_message('a', 1, "x") + "???");
  Error error =
      thrown_by([&] { RunStore(file, "run", 0, std::make_unique<LetterParser>(true), {}); });
  EXPECT_EQ(error.offset(), 16U);
}

TEST(RunStore, AFileCutWhileItIsReadEndsThere) {
  std::string bytes;
  for (int i = 0; i < 2000; ++i) bytes += run_message('a', i, std::string(1000, 'x'));
  auto file = std::make_shared<WatchedFile>(bytes);
  file->there = 700'000;
  std::vector<Error> problems;
  ReadOptions options{.on_problem = [&](const Error& e) { problems.push_back(e); }};
  RunStore store(file, "run", 0, std::make_unique<LetterParser>(true), options);
  EXPECT_NEAR(static_cast<double>(store.times(0).count), 700'000.0 / (1000 + kRunHead), 1);
  EXPECT_THAT(problems, ::testing::SizeIs(1));
}

TEST(RunStore, AFileCutBehindItsOpeningIsTold) {
  std::string bytes;
  for (int i = 0; i < 2000; ++i) bytes += run_message('a', i, std::string(1000, 'x'));
  OpenedRun run(bytes);
  run.file->there = 700'000;
  EXPECT_EQ(run.lines().size(), 700'000U / (1000 + kRunHead));
  ASSERT_THAT(run.problems, ::testing::Not(IsEmpty()));
  EXPECT_THAT(run.problems[0].what(), HasSubstr("the file has changed since it was opened"));
}

TEST(RunStore, AFileThatHasGotMoreMessagesSinceItsOpeningHasLostNone) {
  std::string bytes = run_message('a', 1, std::string(1000, 'x')) + run_message('a', 2, "x");
  OpenedRun run(bytes);
  std::string smaller;
  for (int i = 0; i < 5; ++i) smaller += run_message('a', i, "x");
  smaller.resize(bytes.size(), '?');
  run.file->overwrite(smaller);
  EXPECT_EQ(run.lines().size(), 5U);
  ASSERT_EQ(run.problems.size(), 1U);
  EXPECT_THAT(run.problems[0].what(), HasSubstr("the file has changed since it was opened"));
  ASSERT_TRUE(run.problems[0].loss());
  EXPECT_EQ(run.problems[0].loss()->messages, 0U);
}

TEST(RunStore, IsReadByManyThreads) {
  std::string bytes;
  for (int i = 0; i < 3000; ++i) bytes += run_message(i % 2 ? 'a' : 'b', i, std::string(500, 'x'));
  OpenedRun run(bytes);
  auto expected = run.lines();
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] { EXPECT_EQ(run.lines(), expected); });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace kitbag
