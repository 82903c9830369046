#include "storage/mcap/excerpt.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/mcap/test_file.h"
#include "tests/support/temporary_folder.h"

namespace kitbag::mcap {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr int kMessages = 400;

ChannelPtr make_channel(std::uint32_t slot, const std::string& topic) {
  auto channel = std::make_shared<Channel>();
  channel->slot = slot;
  channel->topic = topic;
  channel->encoding = "ros1";
  channel->schema = std::make_shared<const Schema>(Schema{"test/Text", "ros1msg", "string data"});
  return channel;
}

/// A file of two topics: /early is in the first half alone, and /late in the second.
class McapExcerpt : public ::testing::TestWithParam<const char*> {
 protected:
  void write(WriteOptions options = {}, std::vector<Extra> extras = {}) {
    options.compression = GetParam();
    options.chunk_bytes = 2000;
    auto writer = mcap_format().create(folder_.path("x.mcap"), options, Session(Registry()));
    auto channels = std::make_shared<const Channels>(
        Channels{make_channel(0, "/early"), make_channel(1, "/late")});
    for (int i = 0; i < kMessages; ++i) {
      std::string text = "number " + std::to_string(i) + std::string(50, '.');
      Batch batch;
      batch.channels = channels;
      batch.extras = std::exchange(extras, {});
      std::size_t slot = i < kMessages / 2 ? 0 : 1;
      batch.add({(*channels)[slot].get(), static_cast<std::uint32_t>(i), 0, from_ns(1000 + i),
                 from_ns(1000 + i), as_bytes(text)});
      writer->write(std::move(batch));
    }
    writer->close();
    file_ = folder_.read("x.mcap");
  }

  std::optional<Excerpt> make(const Query& query) const {
    return excerpt_of(input_of(as_bytes(file_)), query, {}, Session(Registry()));
  }

  std::string bytes_of(const Excerpt& excerpt) const {
    std::string bytes;
    for (const ExcerptPiece& piece : excerpt.pieces) {
      bytes += piece.bytes ? *piece.bytes : file_.substr(piece.offset, piece.size);
    }
    return bytes;
  }

  /// Holds what the query gives, is sound, by its index and without, and is made mostly of the
  /// file.
  void expect_same(const Query& query) {
    auto made = make(query);
    ASSERT_TRUE(made);
    std::string bytes = bytes_of(*made);
    ReadBack wanted = read_back(as_bytes(file_), query);
    ReadBack by_index = read_back(as_bytes(bytes));
    EXPECT_EQ(by_index.payloads, wanted.payloads);
    EXPECT_THAT(by_index.problems, IsEmpty());
    EXPECT_EQ(by_index.summary.messages, wanted.payloads.size());
    EXPECT_TRUE(by_index.summary.indexed);
    ReadBack by_scan = read_back(as_bytes(bytes), {}, false);
    EXPECT_EQ(by_scan.payloads, wanted.payloads);
    EXPECT_THAT(by_scan.problems, IsEmpty());
    EXPECT_THAT(findings(as_bytes(bytes)), IsEmpty());
  }

  TemporaryFolder folder_;
  std::string file_;
};

TEST_P(McapExcerpt, HoldsWhatIsWithinATime) {
  write();
  expect_same({.begin = from_ns(1123), .end = from_ns(1345)});
}

TEST_P(McapExcerpt, HoldsATopicWhoseChunksStandBehindOthers) {
  write();
  expect_same({.select = {.topics = {"/late"}}});
}

TEST_P(McapExcerpt, HoldsATopicOfATime) {
  write();
  expect_same({.select = {.topics = {"/early"}}, .begin = from_ns(1100)});
}

TEST_P(McapExcerpt, MayHoldNothing) {
  write();
  expect_same({.begin = from_ns(5000)});
  expect_same({.select = {.topics = {"/no"}}});
}

TEST_P(McapExcerpt, OfEverythingIsTheFile) {
  write();
  auto made = make({});
  ASSERT_TRUE(made);
  ASSERT_THAT(made->pieces, SizeIs(1));
  EXPECT_FALSE(made->pieces[0].bytes);
  EXPECT_EQ(made->pieces[0].size, file_.size());
}

TEST_P(McapExcerpt, UsesChunksAsTheyAre) {
  write();
  auto made = make({.begin = from_ns(1123), .end = from_ns(1345)});
  ASSERT_TRUE(made);
  std::uint64_t used = 0;
  for (const ExcerptPiece& piece : made->pieces) used += piece.bytes ? 0 : piece.size;
  EXPECT_GT(used, file_.size() / 4);
}

TEST_P(McapExcerpt, HasAttachmentsOfTheTimeAndAllMetadata) {
  std::string data = "content";
  Attachment early{"early", "text/plain", from_ns(1), {}, memory_file(as_bytes(data))};
  Attachment within{"within", "text/plain", from_ns(1200), {}, memory_file(as_bytes(data))};
  write({}, {early, within, Metadata{"about", {{"key", "value"}}}});
  auto made = make({.begin = from_ns(1100)});
  ASSERT_TRUE(made);
  std::string bytes = bytes_of(*made);
  ReadBack back = read_back(as_bytes(bytes));
  ASSERT_THAT(back.extras, SizeIs(2));
  EXPECT_EQ(std::get<Attachment>(back.extras[0]).name, "within");
  EXPECT_EQ(std::get<Metadata>(back.extras[1]).values.at("key"), "value");
  EXPECT_THAT(findings(as_bytes(bytes)), IsEmpty());
}

TEST_P(McapExcerpt, IsTheSameEachTime) {
  write();
  Query query{.begin = from_ns(1123), .end = from_ns(1345)};
  EXPECT_EQ(bytes_of(*make(query)), bytes_of(*make(query)));
}

TEST_P(McapExcerpt, IsNotMadeOfAFileWithoutItsEnd) {
  write();
  file_.resize(file_.size() - 1);
  EXPECT_FALSE(make({.begin = from_ns(1123)}));
}

TEST_P(McapExcerpt, IsNotMadeOfADamagedChunkThatWouldBeCut) {
  write();
  Query query{.begin = from_ns(1123)};
  ASSERT_TRUE(make(query));
  // Behind the head of the chunk that holds the first message of the query.
  BagPtr bag = mcap_format().open(input_of(as_bytes(file_)), {}, Session(Registry()));
  for (const ChunkSummary& chunk : bag->chunks()) {
    if (chunk.start < query.begin && chunk.end >= query.begin) file_[chunk.offset + 80] ^= '\x55';
  }
  EXPECT_FALSE(make(query));
}

TEST_P(McapExcerpt, IsNotMadeOfMessagesOutsideOfChunks) {
  WriteOptions options;
  options.is_chunked = false;
  write(options);
  EXPECT_FALSE(make({.begin = from_ns(1123)}));
  EXPECT_TRUE(make({}));
}

INSTANTIATE_TEST_SUITE_P(All, McapExcerpt, ::testing::Values("none", "lz4", "zstd"),
                         [](const auto& each) { return std::string(each.param); });

}  // namespace
}  // namespace kitbag::mcap
