// Version 1.3, put together from what its authors' repository says of it: no file of it is known.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <tuple>

#include "compress/compression.h"
#include "kitbag/session.h"
#include "storage/rosbag/format.h"
#include "storage/rosbag/test_bag.h"

namespace kitbag::rosbag {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr std::uint64_t kHeaderEnd1_3 = 13 + 8 + kFileHeaderBytes;

constexpr std::tuple<const char*, std::uint64_t, const char*> kMessages1_3[] = {
    {"/a", 1, "one"}, {"/b", 2, "two"}, {"/b", 3, "three"}, {"/a", 4, "four"}};

/// A bag of two topics in two chunks, with its index, as far as `is_closed`.
class TopicBag {
 public:
  /// A message's record, in a bag that is not compressed.
  struct Extent {
    std::string lines;
    std::size_t begin, end;
  };

  explicit TopicBag(bool is_closed = true, std::string compression = "none")
      : compression_(std::move(compression)) {
    bytes_.append(as_bytes(kVersionLine1_3));
    put_header(0);
    chunk({definition("/a"), definition("/b"), message("/a", 1, "one"), message("/b", 2, "two")});
    chunk({message("/b", 3, "three"), message("/a", 4, "four")});
    if (!is_closed) return;
    std::uint64_t index_pos = bytes_.size();
    bytes_.append(as_bytes(definition("/a")));
    bytes_.append(as_bytes(definition("/b")));
    for (std::uint64_t chunk : chunks_) put_chunk_info(chunk);
    Buffer whole = std::exchange(bytes_, Buffer());
    bytes_.append(as_bytes(kVersionLine1_3));
    put_header(index_pos);
    bytes_.append(whole.view().subspan(kHeaderEnd1_3));
  }

  Input input(std::size_t size = SIZE_MAX) const {
    ByteView bytes = bytes_.view().first(std::min(size, bytes_.size()));
    ByteView head = bytes.first(std::min(bytes.size(), Input::kHeadBytes));
    return {"old.bag", {head.begin(), head.end()}, memory_file(bytes)};
  }
  BagPtr open(std::size_t size = SIZE_MAX) {
    auto collect = [this](const Error& problem) { problems.emplace_back(problem.what()); };
    return rosbag_format().open(input(size), {.on_problem = collect}, Session(Registry()));
  }

  Buffer& bytes() { return bytes_; }
  std::size_t size() const { return bytes_.size(); }
  const std::vector<std::uint64_t>& chunks() const { return chunks_; }
  std::vector<Extent> extents() const {
    std::vector<Extent> extents;
    for (auto [topic, seconds, data] : kMessages1_3) {
      std::string record = message(topic, seconds, data);
      std::size_t begin = as_text(bytes_.view()).find(record);
      std::string lines = std::string(topic) + " " + std::to_string(seconds) + " " + data;
      extents.push_back({lines, begin, begin + record.size()});
    }
    return extents;
  }
  std::vector<std::string> problems;

 private:
  static std::string definition(const std::string& topic) {
    Buffer record;
    RecordWriter(record, Op::message_definition)
        .field("topic", topic)
        .field("md5", "992ce8a1687cec8c8bd883ec73ca41d1")
        .field("type", "std_msgs/String")
        .field("def", "string data\n")
        .data({});
    return std::string(as_text(record.view()));
  }
  static std::string message(const std::string& topic, std::uint64_t seconds,
                             const std::string& data) {
    Buffer record;
    RecordWriter(record, Op::message)
        .field("topic", topic)
        .field("time", seconds)
        .data(as_bytes(data));
    return std::string(as_text(record.view()));
  }
  void chunk(const std::vector<std::string>& records) {
    Buffer content;
    for (const std::string& record : records) content.append(as_bytes(record));
    chunks_.push_back(bytes_.size());
    Buffer packed;
    if (compression_ != "none") make_compressor(compression_)->compress(content.view(), packed);
    RecordWriter(bytes_, Op::chunk)
        .field("compression", compression_)
        .field("size", static_cast<std::uint32_t>(content.size()))
        .data(compression_ == "none" ? content.view() : packed.view());
    Buffer entries;
    store_le(store_le(entries.extend(kIndexEntryBytes), std::uint64_t{1}), std::uint32_t{0});
    RecordWriter(bytes_, Op::index)
        .field("topic", "/a")
        .field("ver", kIndexVersion)
        .field("count", std::uint32_t{1})
        .data(entries.view());
  }
  void put_chunk_info(std::uint64_t chunk) {
    Buffer data;
    store_le(data.extend(4), std::uint32_t{2});
    data.append(as_bytes("/a"));
    store_le(data.extend(4), std::uint32_t{1});
    RecordWriter(bytes_, Op::chunk_info)
        .field("ver", kIndexVersion)
        .field("chunk_pos", chunk)
        .field("start_time", std::uint64_t{1})
        .field("end_time", std::uint64_t{4})
        .field("count", std::uint32_t{1})
        .data(data.view());
  }
  void put_header(std::uint64_t index_pos) {
    std::size_t start = bytes_.size();
    RecordWriter header(bytes_, Op::file_header);
    header.field("index_pos", index_pos).field("topic_count", std::uint32_t{2});
    header.field("chunk_count", std::uint32_t{2});
    std::size_t padding = kFileHeaderBytes - (bytes_.size() - start - 4);
    header.data_size(padding);
    std::memset(bytes_.extend(padding), ' ', padding);
  }

  std::string compression_;
  Buffer bytes_;
  std::vector<std::uint64_t> chunks_;
};

const std::vector<std::string> kAll1_3 = {"/a 1 one", "/b 2 two", "/b 3 three", "/a 4 four"};

TEST(RosbagV1_3, IsReadByItsTopics) {
  TopicBag bag;
  auto opened = bag.open();
  EXPECT_EQ(lines_of(*opened), kAll1_3);
  const Summary& summary = opened->summary();
  EXPECT_EQ(summary.version, "1.3");
  EXPECT_EQ(summary.messages, 4U);
  EXPECT_EQ(summary.chunks, 2U);
  ASSERT_EQ(summary.channels->size(), 2U);
  const Channel& channel = *summary.channels->at(0);
  EXPECT_EQ(channel.topic, "/a");
  EXPECT_EQ(channel.type(), "std_msgs/String");
  EXPECT_EQ(channel.schema->text, "string data\n");
  EXPECT_EQ(channel.metadata.at("md5sum"), "992ce8a1687cec8c8bd883ec73ca41d1");
  EXPECT_THAT(bag.problems, IsEmpty());
}

TEST(RosbagV1_3, IsQueriedLikeAnyOther) {
  TopicBag bag;
  auto opened = bag.open();
  Query query;
  query.select.topics = {"/b"};
  EXPECT_THAT(lines_of(*opened, query), ElementsAre("/b 2 two", "/b 3 three"));
  query.nth = 1;
  EXPECT_THAT(lines_of(*opened, query), ElementsAre("/b 3 three"));
  query = {};
  query.order = Order::reverse_time;
  query.count = 1;
  EXPECT_THAT(lines_of(*opened, query), ElementsAre("/a 4 four"));
}

TEST(RosbagV1_3, WithoutItsIndexLosesNothing) {
  TopicBag bag(/*is_closed=*/false);
  EXPECT_EQ(lines_of(*bag.open()), kAll1_3);
  EXPECT_THAT(bag.problems, ElementsAre(HasSubstr("has no index")));
}

TEST(RosbagV1_3, CutAnywhereGivesWhatIsWhole) {
  TopicBag whole;
  for (std::size_t size = kHeaderEnd1_3; size < whole.size(); ++size) {
    TopicBag bag;
    auto found = lines_of(*bag.open(size));
    ASSERT_TRUE(std::equal(found.begin(), found.end(), kAll1_3.begin())) << "cut at " << size;
    std::size_t whole_ones = size >= whole.chunks()[1] ? 2 : 0;
    ASSERT_GE(found.size(), whole_ones) << "cut at " << size;
    // The index is not looked at, nor missed where it ends between two records.
    ASSERT_TRUE(found == kAll1_3 || !bag.problems.empty()) << "cut at " << size;
  }
}

TEST(RosbagV1_3, AFlippedByteCostsOneMessageAtMost) {
  TopicBag whole;
  for (std::size_t at = kHeaderEnd1_3; at < whole.size(); ++at) {
    TopicBag bag;
    bag.bytes().data()[at] ^= std::byte{0xff};
    auto found = lines_of(*bag.open());
    std::size_t kept = 0;
    for (const std::string& line : kAll1_3)
      kept += std::count(found.begin(), found.end(), line) > 0 ? 1U : 0U;
    ASSERT_GE(kept + 1, kAll1_3.size()) << "flipped at " << at;
    ASSERT_LE(found.size(), kAll1_3.size()) << "flipped at " << at;
  }
}

TEST(RosbagV1_3, AFlippedByteInTheHeaderCostsNothing) {
  for (std::size_t at = kVersionLine1_3.size(); at < kHeaderEnd1_3; ++at) {
    TopicBag bag;
    bag.bytes().data()[at] ^= std::byte{0xff};
    ASSERT_EQ(lines_of(*bag.open()), kAll1_3) << "flipped at " << at;
  }
}

TEST(RosbagV1_3, AHoleCostsWhatItTouches) {
  TopicBag whole;
  for (std::size_t size : {3U, 8U, 64U, 200U, 600U}) {
    for (std::size_t at = kHeaderEnd1_3; at + size <= whole.size(); ++at) {
      TopicBag bag;
      std::memset(bag.bytes().data() + at, 0, size);
      auto found = lines_of(*bag.open());
      for (const TopicBag::Extent& message : whole.extents()) {
        bool is_touched = message.begin < at + size && at < message.end;
        if (is_touched) continue;
        ASSERT_THAT(found, Contains(message.lines)) << size << " bytes at " << at;
      }
      ASSERT_LE(found.size(), kAll1_3.size()) << size << " bytes at " << at;
    }
  }
}

TEST(RosbagV1_3, ChunksMayBeCompressed) {
  TopicBag bag(/*is_closed=*/true, "bz2");
  auto opened = bag.open();
  EXPECT_EQ(lines_of(*opened), kAll1_3);
  EXPECT_EQ(opened->chunks().at(0).compression, "bz2");
  EXPECT_THAT(bag.problems, IsEmpty());
  TopicBag damaged(/*is_closed=*/true, "bz2");
  damaged.bytes().data()[damaged.chunks()[0] + 90] ^= std::byte{0xff};
  EXPECT_THAT(lines_of(*damaged.open()), ElementsAre("/b 3 three", "/a 4 four"));
  EXPECT_THAT(damaged.problems, SizeIs(1));
}

TEST(RosbagV1_3, CheckTellsWhatIsWrong) {
  auto findings = [](const Input& input) {
    std::vector<std::string> all;
    rosbag_format().check(input, {.on_problem = [&](const Error& e) { all.push_back(e.what()); }},
                          Session(Registry()));
    return all;
  };
  TopicBag bag;
  EXPECT_THAT(findings(bag.input()), IsEmpty());
  EXPECT_THAT(findings(bag.input(bag.chunks()[1] + 60)), Not(IsEmpty()));
}

}  // namespace
}  // namespace kitbag::rosbag
