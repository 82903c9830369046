// What a session's readers share of compressed bags, counted by chunks that were loaded.

#include <gmock/gmock.h>

#include <chrono>
#include <filesystem>

#include "kitbag/session.h"
#include "model/chunk_cache.h"
#include "storage/chunked/chunk_loader.h"
#include "tests/support/temporary_folder.h"

namespace kitbag {
namespace {

/// Forty chunks of one message: thirty-nine of /often, and in front of them one of /map.
class ChunkSharing : public ::testing::TestWithParam<std::pair<const char*, const char*>> {
 protected:
  static constexpr int kChunks = 40;
  static constexpr std::size_t kBytes = 10'000;

  ChunkSharing() {
    Channels channels;
    for (const char* topic : {"/map", "/often"}) {
      auto channel = std::make_shared<Channel>();
      channel->topic = topic;
      channel->slot = static_cast<std::uint32_t>(channels.size());
      channel->encoding = "ros1";
      channel->schema = std::make_shared<Schema>(Schema{"test/Text", "ros1msg", "string data\n"});
      channel->metadata = {{"md5sum", "992ce8a1687cec8c8bd883ec73ca41d1"}};
      channels.push_back(std::move(channel));
    }
    WriteOptions options;
    options.compression = GetParam().second;
    options.chunk_bytes = 1;
    path_ = folder_.path(std::string("x") + GetParam().first);
    auto writer = session_.create(path_, options);
    auto table = std::make_shared<const Channels>(std::move(channels));
    for (int i = 0; i < kChunks; ++i) {
      std::string payload(kBytes, static_cast<char>('a' + i % 26));
      Batch batch;
      batch.channels = table;
      Time time = from_ns(1'000 + i);
      batch.add({(*table)[i == 0 ? 0 : 1].get(), 0, 0, time, time, as_bytes(payload)});
      writer->write(std::move(batch));
    }
    writer->close();
  }

  std::uint64_t loads() const { return session_.chunk_cache()->figures().loads; }
  static std::size_t count(const Bag& bag, const Query& query = {}) {
    std::size_t messages = 0;
    auto source = bag.read(query);
    for (Batch batch; source->read(batch, {}); batch.clear()) messages += batch.messages().size();
    return messages;
  }

  TemporaryFolder folder_;
  Session session_;
  std::string path_;
};

TEST_P(ChunkSharing, TheFirstMessageTakesNoMoreThanItsChunk) {
  auto bag = session_.open(path_);
  Query query;
  query.count = 1;
  EXPECT_EQ(count(*bag, query), 1U);
  // Those that write rosbags place their chunks by the first message, so the next one is looked at.
  EXPECT_EQ(loads(), std::string(GetParam().first) == ".mcap" ? 1U : 2U);
}

TEST_P(ChunkSharing, WhoComesToTheSamePlaceFindsTheChunk) {
  auto bag = session_.open(path_);
  Query query;
  query.begin = from_ns(1'020);
  query.count = 1;
  count(*bag, query);
  std::uint64_t before = loads();
  EXPECT_EQ(count(*bag, query), 1U);
  EXPECT_EQ(loads(), before);
  EXPECT_EQ(count(*Session().open(path_), query), 1U) << "another session has a cache of its own";
  EXPECT_EQ(loads(), before);
}

TEST_P(ChunkSharing, TwoBagsOfOneFileShare) {
  // A file that has changed just now may change again unnoticed.
  auto before = std::filesystem::last_write_time(path_) - std::chrono::seconds(10);
  std::filesystem::last_write_time(path_, before);
  Query query;
  query.count = 1;
  count(*session_.open(path_), query);
  std::uint64_t loaded = loads();
  EXPECT_EQ(count(*session_.open(path_), query), 1U);
  EXPECT_EQ(loads(), loaded);
  std::filesystem::last_write_time(path_, before - std::chrono::seconds(1));
  count(*session_.open(path_), query);
  EXPECT_GT(loads(), loaded) << "it has changed";
}

TEST_P(ChunkSharing, AReadingOfTheWholeKeepsItsBeginningAlone) {
  auto bag = session_.open(path_);
  EXPECT_EQ(count(*bag), std::size_t{kChunks});
  EXPECT_EQ(loads(), std::uint64_t{kChunks});
  auto figures = session_.chunk_cache()->figures();
  EXPECT_EQ(figures.kept_chunks, ChunkLoader::kKeptChunks);
  EXPECT_EQ(figures.reserved_bytes, 0U);
}

TEST_P(ChunkSharing, TheLastMessagesTakeAChunkAChannel) {
  auto bag = session_.open(path_);
  Batch state = bag->last_before(from_ns(1'030));
  ASSERT_EQ(state.messages().size(), 2U);
  EXPECT_EQ(to_ns(state.messages()[0].log_time), 1'000);
  EXPECT_EQ(to_ns(state.messages()[1].log_time), 1'029);
  EXPECT_EQ(loads(), 2U);
  bag->last_before(from_ns(1'030));
  EXPECT_EQ(loads(), 2U);
}

std::string name_of(const ::testing::TestParamInfo<std::pair<const char*, const char*>>& tested) {
  return std::string(tested.param.first + 1) + "_" + tested.param.second;
}

INSTANTIATE_TEST_SUITE_P(Formats, ChunkSharing,
                         ::testing::Values(std::pair(".mcap", "zstd"), std::pair(".mcap", "lz4"),
                                           std::pair(".bag", "lz4"), std::pair(".bag", "bz2")),
                         name_of);

}  // namespace
}  // namespace kitbag
