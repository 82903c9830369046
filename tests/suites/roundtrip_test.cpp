// Every format that can be written, with each compression: what goes in comes out.

#include <gtest/gtest.h>

#include <random>

#include "kitbag/kitbag.h"
#include "tests/support/bags.h"

namespace kitbag::testing {
namespace {

std::vector<TestMessage> roundtrip_messages() {
  std::mt19937 random(7);
  std::vector<TestMessage> messages;
  for (int i = 0; i < 2000; ++i) {
    std::string payload(random() % 50 == 0 ? 40'000 : random() % 200, '\0');
    for (char& c : payload) c = static_cast<char>(random() % 8);
    std::int64_t time = 1'600'000'000'000'000'000 + i * 1'000'000;
    if (random() % 10 == 0) time -= 5'000'000;
    messages.push_back({static_cast<std::uint32_t>(random() % 3), time, payload});
  }
  return messages;
}

class Roundtrip : public ::testing::TestWithParam<FormatCase> {
 protected:
  WriteOptions options() const {
    return {.compression = GetParam().compression, .chunk_bytes = 10'000};
  }
  BagPtr open_strictly(ByteView bytes) const { return open(input_of(bytes), {}, registry_); }

  Registry registry_ = standard_registry();
};

TEST_P(Roundtrip, KeepsMessagesInFileOrder) {
  auto messages = roundtrip_messages();
  auto bytes = bag_bytes(GetParam().format, options(), messages);
  Query query;
  query.order = Order::file;
  EXPECT_EQ(read_messages(*open_strictly(bytes), query), messages);
}

TEST_P(Roundtrip, KeepsChannels) {
  auto channels = test_channels();
  auto bytes = bag_bytes(GetParam().format, options(), roundtrip_messages(), channels);
  auto bag = open_strictly(bytes);
  ASSERT_EQ(bag->summary().channels->size(), channels->size());
  for (std::size_t i = 0; i < channels->size(); ++i) {
    EXPECT_TRUE(same_content(*(*bag->summary().channels)[i], *(*channels)[i])) << i;
  }
  EXPECT_FALSE(is_latched(*(*bag->summary().channels)[1]));
  EXPECT_TRUE(is_latched(*(*bag->summary().channels)[2]));
}

TEST_P(Roundtrip, SummarizesWithoutReading) {
  auto messages = roundtrip_messages();
  auto bytes = bag_bytes(GetParam().format, options(), messages);
  auto bag = open_strictly(bytes);
  const Summary& summary = bag->summary();
  std::vector<std::uint64_t> counts(3, 0);
  std::int64_t start = messages[0].time_ns;
  std::int64_t end = start;
  for (const TestMessage& message : messages) {
    ++counts[message.channel];
    start = std::min(start, message.time_ns);
    end = std::max(end, message.time_ns);
  }
  EXPECT_EQ(summary.format, GetParam().format.name);
  EXPECT_EQ(summary.messages, messages.size());
  EXPECT_EQ(summary.message_counts, counts);
  EXPECT_EQ(to_ns(summary.start), start);
  EXPECT_EQ(to_ns(summary.end), end);
  EXPECT_EQ(summary.size_bytes, bytes.size());
  EXPECT_TRUE(summary.indexed);
}

TEST_P(Roundtrip, ChunksAddUp) {
  auto messages = roundtrip_messages();
  auto bytes = bag_bytes(GetParam().format, options(), messages);
  auto bag = open_strictly(bytes);
  auto chunks = bag->chunks();
  ASSERT_EQ(chunks.size(), bag->summary().chunks);
  std::uint64_t sum = 0;
  for (const ChunkSummary& chunk : chunks) {
    EXPECT_EQ(chunk.compression, GetParam().compression);
    EXPECT_LE(chunk.start, chunk.end);
    sum += chunk.messages;
  }
  EXPECT_EQ(sum, messages.size());
}

TEST_P(Roundtrip, KeepsEmptyBagsAndChannelsWithoutMessages) {
  auto bytes = bag_bytes(GetParam().format, options(), {});
  auto bag = open_strictly(bytes);
  EXPECT_EQ(bag->summary().messages, 0U);
  EXPECT_EQ(bag->summary().channels->size(), 3U);
  EXPECT_TRUE(read_messages(*bag).empty());
}

TEST_P(Roundtrip, KeepsEmptyPayloads) {
  std::vector<TestMessage> messages(5, TestMessage{0, 1'000, ""});
  auto bytes = bag_bytes(GetParam().format, options(), messages);
  EXPECT_EQ(read_messages(*open_strictly(bytes)), messages);
}

TEST_P(Roundtrip, IsSoundToCheck) {
  auto messages = roundtrip_messages();
  std::stable_sort(messages.begin(), messages.end(),
                   [](const auto& a, const auto& b) { return a.time_ns < b.time_ns; });
  auto bytes = bag_bytes(GetParam().format, options(), messages);
  check(
      input_of(bytes), [](const Error& e) { ADD_FAILURE() << e.what(); }, registry_);
}

TEST_P(Roundtrip, IsTheSameWithAnyNumberOfThreads) {
  auto messages = roundtrip_messages();
  WriteOptions one = options();
  one.threads = 1;
  WriteOptions three = options();
  three.threads = 3;
  EXPECT_EQ(bag_bytes(GetParam().format, one, messages),
            bag_bytes(GetParam().format, three, messages));
}

TEST_P(Roundtrip, AppendsBehindWhatIsThere) {
  if (!GetParam().format.append) GTEST_SKIP() << "the format cannot append";
  auto messages = roundtrip_messages();
  std::vector<TestMessage> first(messages.begin(), messages.begin() + 900);
  std::vector<TestMessage> second(messages.begin() + 900, messages.end());
  TempFolder folder;
  std::string path = folder / ("bag" + std::string(GetParam().format.extension));
  auto writer = create(path, std::string(GetParam().format.name), options(), registry_);
  write_messages(*writer, test_channels(), first);
  writer->close();
  auto before = file_bytes(path);

  auto more = append(path, options(), registry_);
  write_messages(*more, test_channels(), second);
  more.reset();  // abandoned
  EXPECT_EQ(file_bytes(path), before);

  more = append(path, options(), registry_);
  write_messages(*more, test_channels(), second);
  more->close();
  auto bag = open(path, {}, registry_);
  EXPECT_EQ(bag->summary().channels->size(), 3U);
  Query query;
  query.order = Order::file;
  EXPECT_EQ(read_messages(*bag, query), messages);
}

TEST_P(Roundtrip, AbandonedWriterLeavesTheTargetAlone) {
  TempFolder folder;
  std::string path = folder / ("bag" + std::string(GetParam().format.extension));
  {
    auto writer = create(path, std::string(GetParam().format.name), options(), registry_);
    write_messages(*writer, test_channels(), roundtrip_messages());
    writer->flush();
  }
  EXPECT_FALSE(std::filesystem::exists(path));
  EXPECT_TRUE(std::filesystem::is_empty(std::filesystem::path(path).parent_path()));
}

INSTANTIATE_TEST_SUITE_P(Formats, Roundtrip, ::testing::ValuesIn(writable_formats()), case_name);

}  // namespace
}  // namespace kitbag::testing
