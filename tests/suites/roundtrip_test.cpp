// Every format that can be written, with each compression: what goes in comes out.

#include <gmock/gmock.h>
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
    auto channel = i < 3 ? static_cast<std::uint32_t>(i) : static_cast<std::uint32_t>(random() % 3);
    messages.push_back({channel, time, payload});
  }
  return messages;
}

class Roundtrip : public ::testing::TestWithParam<FormatCase> {
 protected:
  WriteOptions options() const { return GetParam().options(10'000); }
  BagPtr open_strictly(ByteView bytes) const { return session_.open(input_of(bytes)); }

  Session session_;
};

TEST_P(Roundtrip, KeepsMessagesInFileOrder) {
  auto messages = roundtrip_messages();
  auto bytes = GetParam().bytes(options(), messages);
  Query query;
  query.order = Order::file;
  EXPECT_EQ(read_messages(*open_strictly(bytes), query), messages);
}

TEST_P(Roundtrip, KeepsChannels) {
  auto channels = GetParam().channels();
  auto bytes = GetParam().bytes(options(), roundtrip_messages());
  auto bag = open_strictly(bytes);
  ASSERT_EQ(bag->summary().channels->size(), channels->size());
  const FormatVersion& version = GetParam().version;
  for (std::size_t i = 0; i < channels->size(); ++i) {
    Channel kept = *(*bag->summary().channels)[i];
    const Channel& given = *(*channels)[i];
    EXPECT_EQ(kept.type(), given.type()) << i;
    if (!version.holds_metadata) kept.metadata = given.metadata;
    if (!version.holds_definitions) kept.schema = given.schema;
    EXPECT_TRUE(same_content(kept, given)) << i;
  }
  EXPECT_FALSE(is_latched(*(*bag->summary().channels)[1]));
  EXPECT_EQ(is_latched(*(*bag->summary().channels)[2]), is_latched(*(*channels)[2]));
}

TEST_P(Roundtrip, TellsWhatIsLeftOut) {
  auto channel = std::make_shared<Channel>(*(*test_channels())[2]);
  channel->slot = 0;
  channel->metadata["mood"] = "fine";
  auto channels = std::make_shared<Channels>(Channels{channel});
  std::vector<std::string> warnings;
  WriteOptions warning = options();
  warning.on_warning = [&](const Error& e) { warnings.push_back(e.message()); };
  auto bytes = bag_bytes(GetParam().format, warning, {{0, 1'000, "x"}}, channels);
  auto bag = open_strictly(bytes);
  const FormatVersion& version = GetParam().version;
  const Channel& kept = *bag->summary().channels->front();
  EXPECT_EQ(kept.topic, channel->topic);
  EXPECT_EQ(kept.type(), channel->type());
  EXPECT_EQ(kept.metadata.contains("mood"), version.holds_metadata);
  EXPECT_EQ(kept.schema->text.empty(), !version.holds_definitions);
  bool holds_all = version.holds_metadata && version.holds_definitions;
  ASSERT_EQ(warnings.size(), holds_all ? 0U : 1U);
  if (!holds_all) {
    EXPECT_THAT(warnings[0], ::testing::HasSubstr("mood"));
  }
}

TEST_P(Roundtrip, SummarizesWithoutReading) {
  auto messages = roundtrip_messages();
  auto bytes = GetParam().bytes(options(), messages);
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
  EXPECT_EQ(summary.indexed, GetParam().version.is_indexed);
}

TEST_P(Roundtrip, OnlySomeHaveChunks) {
  auto bytes = GetParam().bytes(options(), roundtrip_messages());
  auto bag = open_strictly(bytes);
  EXPECT_EQ(bag->summary().chunks > 0, GetParam().has_chunks())
      << "FormatCase::has_chunks() in tests/support/bags.h names the formats made of chunks";
  EXPECT_EQ(bag->chunks().size(), bag->summary().chunks);
}

class RoundtripOfChunks : public Roundtrip {};

TEST_P(RoundtripOfChunks, TheyAddUp) {
  auto messages = roundtrip_messages();
  auto bytes = GetParam().bytes(options(), messages);
  auto bag = open_strictly(bytes);
  auto chunks = bag->chunks();
  ASSERT_FALSE(chunks.empty());
  std::uint64_t sum = 0;
  for (const ChunkSummary& chunk : chunks) {
    bool does_not_shrink = chunk.stored_bytes == chunk.bytes;
    EXPECT_EQ(chunk.compression, does_not_shrink ? "none" : GetParam().compression);
    EXPECT_LE(chunk.start, chunk.end);
    sum += chunk.messages;
  }
  EXPECT_EQ(sum, messages.size());
}

TEST_P(RoundtripOfChunks, ThoseThatDoNotShrinkAreStoredAsTheyAre) {
  std::mt19937 random(11);
  std::vector<TestMessage> messages;
  for (std::uint32_t i = 0; i < 12; ++i) {
    std::string payload(20'000, '\0');
    if (i % 2 == 0) {  // noise, and a chunk that shrinks
      for (char& c : payload) c = static_cast<char>(random());
    }
    messages.push_back({i % 3, 1'000'000 + i, payload});
  }
  auto bytes = GetParam().bytes(options(), messages);
  auto bag = open_strictly(bytes);
  auto chunks = bag->chunks();
  ASSERT_EQ(chunks.size(), messages.size());
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    EXPECT_LE(chunks[i].stored_bytes, chunks[i].bytes);
    EXPECT_EQ(chunks[i].compression, i % 2 == 0 ? "none" : GetParam().compression) << i;
  }
  EXPECT_EQ(read_messages(*bag), messages);
}

TEST_P(Roundtrip, KeepsEmptyBagsAndChannelsWithoutMessages) {
  auto bytes = GetParam().bytes(options(), {});
  auto bag = open_strictly(bytes);
  EXPECT_EQ(bag->summary().messages, 0U);
  const FormatVersion& version = GetParam().version;
  std::size_t definitions = version.holds_definitions ? 2 : 0;  // one a topic
  EXPECT_EQ(bag->summary().channels->size(), version.holds_metadata ? 3 : definitions);
  EXPECT_TRUE(read_messages(*bag).empty());
}

TEST_P(Roundtrip, KeepsATopicWithoutANameOrRefusesIt) {
  auto channels = std::make_shared<Channels>(Channels{make_channel(0, ""), make_channel(1, "/b")});
  std::vector<TestMessage> messages = {{0, 1'000, "x"}, {1, 2'000, "y"}};
  TempFolder folder;
  std::string path = folder / ("bag" + std::string(GetParam().format.extension));
  try {
    auto writer = session_.create(path, options());
    write_messages(*writer, channels, messages);
    writer->close();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("rename the topic"));
    EXPECT_FALSE(std::filesystem::exists(path));
    return;
  }
  for (bool trust_index : {true, false}) {
    ReadOptions reading;
    reading.trust_index = trust_index;
    auto bag = session_.open(path, reading);
    EXPECT_EQ((*bag->summary().channels)[0]->topic, "");
    EXPECT_EQ(read_messages(*bag), messages);
  }
  EXPECT_NO_THROW(session_.check(path, {}, {.decoded_messages = 0}));
}

TEST_P(Roundtrip, KeepsEmptyPayloads) {
  std::vector<TestMessage> messages(5, TestMessage{0, 1'000, ""});
  auto bytes = GetParam().bytes(options(), messages);
  EXPECT_EQ(read_messages(*open_strictly(bytes)), messages);
}

TEST_P(Roundtrip, IsSoundToCheck) {
  auto messages = roundtrip_messages();
  std::stable_sort(messages.begin(), messages.end(),
                   [](const auto& a, const auto& b) { return a.time_ns < b.time_ns; });
  auto bytes = GetParam().bytes(options(), messages);
  session_.check(input_of(bytes), {.on_problem = [](const Error& e) { ADD_FAILURE() << e.what(); }},
                 {.decoded_messages = 0});  // its payloads are any bytes
}

TEST_P(Roundtrip, IsTheSameWithAnyNumberOfThreads) {
  auto messages = roundtrip_messages();
  WriteOptions one = options();
  one.threads = 1;
  WriteOptions three = options();
  three.threads = 3;
  EXPECT_EQ(GetParam().bytes(one, messages), GetParam().bytes(three, messages));
}

class RoundtripByAppending : public Roundtrip {};

TEST_P(RoundtripByAppending, ComesBehindWhatIsThere) {
  auto messages = roundtrip_messages();
  std::vector<TestMessage> first(messages.begin(), messages.begin() + 900);
  std::vector<TestMessage> second(messages.begin() + 900, messages.end());
  TempFolder folder;
  std::string path = folder / ("bag" + std::string(GetParam().format.extension));
  auto writer = session_.create(path, options());
  write_messages(*writer, test_channels(), first);
  writer->close();
  auto before = file_bytes(path);

  auto more = session_.append(path, options());
  write_messages(*more, test_channels(), second);
  more.reset();  // abandoned
  EXPECT_EQ(file_bytes(path), before);

  more = session_.append(path, options());
  write_messages(*more, test_channels(), second);
  more->close();
  auto bag = session_.open(path);
  EXPECT_EQ(bag->summary().channels->size(), 3U);
  Query query;
  query.order = Order::file;
  EXPECT_EQ(read_messages(*bag, query), messages);
}

/// The metadata records of the bag at `path`; `site` is a channel's.
std::vector<std::string> records_of(const Bag& bag) {
  std::vector<std::string> records;
  for (const Extra& extra : bag.extras()) {
    const auto* record = std::get_if<Metadata>(&extra);
    if (!record) continue;
    std::string& text = records.emplace_back(record->name);
    for (const auto& [key, value] : record->values) text += " " + key + "=" + value;
  }
  return records;
}

TEST_P(Roundtrip, KeepsMetadataRecordsOrTells) {
  auto written = [](const std::string& value) {
    Batch batch;
    batch.channels = std::make_shared<const Channels>();
    batch.extras.emplace_back(Metadata{"site", {{"town", value}, {"", "\n"}}});
    batch.extras.emplace_back(Metadata{"empty", {}});
    return batch;
  };
  TempFolder folder;
  std::string path = folder / ("bag" + std::string(GetParam().format.extension));
  std::vector<std::string> warnings;
  WriteOptions warning = options();
  warning.on_warning = [&](const Error& e) { warnings.push_back(e.message()); };
  auto writer = session_.create(path, warning);
  writer->write(written("Berlin"));
  write_messages(*writer, GetParam().channels(), {{0, 1, "x"}});
  writer->close();
  auto records = records_of(*session_.open(path));
  if (records.empty()) {
    EXPECT_THAT(warnings, ::testing::Contains(::testing::HasSubstr("2 metadata records")));
    return;
  }
  EXPECT_THAT(warnings, ::testing::IsEmpty());
  EXPECT_THAT(records, ::testing::ElementsAre("site =\n town=Berlin", "empty"));
  ASSERT_TRUE(GetParam().format.append);
  writer = session_.append(path, options());
  writer->write(written("Bern"));
  writer->close();
  EXPECT_THAT(
      records_of(*session_.open(path)),
      ::testing::ElementsAre("site =\n town=Berlin", "empty", "site =\n town=Bern", "empty"));
  session_.check(path, {.on_problem = [](const Error& e) { ADD_FAILURE() << e.what(); }},
                 {.decoded_messages = 0});
}

TEST_P(Roundtrip, AbandonedWriterLeavesTheTargetAlone) {
  TempFolder folder;
  std::string path = folder / ("bag" + std::string(GetParam().format.extension));
  {
    auto writer = session_.create(path, options());
    write_messages(*writer, GetParam().channels(), roundtrip_messages());
    writer->flush();
  }
  EXPECT_FALSE(std::filesystem::exists(path));
  EXPECT_TRUE(std::filesystem::is_empty(std::filesystem::path(path).parent_path()));
}

INSTANTIATE_TEST_SUITE_P(Formats, Roundtrip, ::testing::ValuesIn(writable_formats()), case_name);
INSTANTIATE_TEST_SUITE_P(Formats, RoundtripOfChunks,
                         ::testing::ValuesIn(cases_that(writable_formats(),
                                                        std::mem_fn(&FormatCase::has_chunks))),
                         case_name);
INSTANTIATE_TEST_SUITE_P(Formats, RoundtripByAppending,
                         ::testing::ValuesIn(cases_that(writable_formats(),
                                                        std::mem_fn(&FormatCase::can_append))),
                         case_name);

}  // namespace
}  // namespace kitbag::testing
