#include "cli/terminal/bag_info.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kitbag::cli {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class ChunkBag final : public Bag {
 public:
  ChunkBag(Summary summary, std::vector<ChunkSummary> chunks)
      : summary_(std::move(summary)), chunks_(std::move(chunks)) {}
  const Summary& summary() const override { return summary_; }
  std::unique_ptr<Source> read_messages(const Query&, const Wait&) const override {
    return nullptr;
  }
  std::vector<ChunkSummary> chunks() const override { return chunks_; }

 private:
  Summary summary_;
  std::vector<ChunkSummary> chunks_;
};

Summary with_channels(std::vector<Channel> channels) {
  Summary summary;
  summary.format = "rosbag";
  summary.version = "2.0";
  summary.size_bytes = 4096;
  summary.chunks = 1;
  summary.start = Time(1s);
  summary.end = Time(11s);
  Channels table;
  for (Channel& channel : channels) {
    table.push_back(std::make_shared<const Channel>(std::move(channel)));
    summary.message_counts.push_back(20);
    summary.messages += 20;
  }
  summary.channels = std::make_shared<const Channels>(std::move(table));
  return summary;
}

ChunkSummary chunk(std::string compression, std::uint64_t stored, std::uint64_t whole) {
  ChunkSummary summary;
  summary.compression = std::move(compression);
  summary.stored_bytes = stored;
  summary.bytes = whole;
  return summary;
}

TEST(DescribeBag, NamesTheCompression) {
  Summary summary = with_channels({});
  EXPECT_EQ(describe_bag("x", ChunkBag(summary, {})).compression, "none");
  BagInfo plain = describe_bag("x", ChunkBag(summary, {chunk("none", 5, 5)}));
  EXPECT_EQ(plain.compression, "none");
  EXPECT_FALSE(plain.ratio);
  BagInfo packed = describe_bag("x", ChunkBag(summary, {chunk("lz4", 1, 4), chunk("lz4", 3, 6)}));
  EXPECT_EQ(packed.compression, "lz4");
  EXPECT_EQ(packed.ratio, 2.5);
  BagInfo mixed = describe_bag("x", ChunkBag(summary, {chunk("none", 4, 4), chunk("bz2", 1, 6)}));
  EXPECT_EQ(mixed.compression, "mixed");
  EXPECT_EQ(mixed.ratio, 2.0);
}

TEST(InfoText, HasOneLineATopicAndType) {
  Channel once{"/map", "ros1", nullptr, {{"latching", "1"}}, 0};
  Channel again{"/map", "ros1", nullptr, {}, 1};
  Summary summary = with_channels({once, again});
  std::string text = info_text(describe_bag("a.bag", ChunkBag(summary, {})), false);
  EXPECT_THAT(text, HasSubstr("format:      rosbag 2.0\n"));
  EXPECT_THAT(text, HasSubstr("(4,096 bytes)"));
  EXPECT_THAT(text, HasSubstr("1970-01-01T00:00:01.000000000Z (1.000000000)"));
  EXPECT_THAT(text, HasSubstr("/map               40  4 Hz            2  1 of 2\n"));
}

TEST(InfoText, OfAnEmptyBagNamesNoTimes) {
  Summary summary;
  summary.format = "rosbag";
  summary.indexed = false;
  summary.channels = std::make_shared<const Channels>();
  std::string text = info_text(describe_bag("a.bag", ChunkBag(summary, {})), false);
  EXPECT_THAT(text, AllOf(HasSubstr("messages:    0\n"), HasSubstr("without an index"),
                          Not(HasSubstr("start")), Not(HasSubstr("topic"))));
}

TEST(InfoText, IsBoldOnlyForATerminal) {
  Summary summary = with_channels({});
  BagInfo info = describe_bag("a.bag", ChunkBag(summary, {}));
  EXPECT_THAT(info_text(info, false), Not(HasSubstr("\x1b")));
}

}  // namespace
}  // namespace kitbag::cli
