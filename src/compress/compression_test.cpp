#include "compress/compression.h"

#include <bzlib.h>
#include <gmock/gmock.h>
#include <lz4frame.h>

#include <algorithm>
#include <random>
#include <stop_token>
#include <string>

#include "compress/lz4_block.h"
#include "tests/support/thrown_by.h"

namespace kitbag {
namespace {

constexpr std::size_t kNoLimit = SIZE_MAX;

enum class Content { zeros, repetitive, random };

std::string make_content(std::size_t size, Content kind) {
  std::string text(size, '\0');
  std::mt19937 random(static_cast<unsigned>(size));
  if (kind == Content::random) {
    for (char& c : text) c = static_cast<char>(random());
  } else if (kind == Content::repetitive) {
    for (std::size_t i = 0; i < size; ++i) text[i] = static_cast<char>('a' + (random() % 3));
  }
  return text;
}

std::string compressed(std::string_view name, std::string_view text) {
  Buffer to;
  make_compressor(name)->compress(as_bytes(text), to);
  return std::string(as_text(to.view()));
}

struct Outcome {
  std::string text;
  bool complete;
  std::size_t consumed;
};

Outcome decompressed(std::string_view name, std::string_view input, std::size_t expected = 0,
                     std::size_t limit = kNoLimit) {
  Buffer to;
  auto result = make_decompressor(name)->decompress(as_bytes(input), expected, limit, to);
  return {std::string(as_text(to.view())), result.complete, result.consumed};
}

// A frame as other writers make it.
std::string lz4_frame(std::string_view text, const LZ4F_preferences_t& preferences) {
  std::string to(LZ4F_compressFrameBound(text.size(), &preferences), '\0');
  to.resize(LZ4F_compressFrame(to.data(), to.size(), text.data(), text.size(), &preferences));
  return to;
}

TEST(Compression, KnowsItsNames) {
  EXPECT_TRUE(make_compressor("lz4"));
  EXPECT_TRUE(make_decompressor("bz2"));
  EXPECT_FALSE(make_compressor("none"));
  EXPECT_FALSE(make_decompressor("LZ4"));
  EXPECT_FALSE(make_decompressor(""));
}

class CompressionTest : public testing::TestWithParam<const char*> {};

TEST_P(CompressionTest, GivesBackWhatItWasGiven) {
  auto compressor = make_compressor(GetParam());
  auto decompressor = make_decompressor(GetParam());
  Buffer packed;
  Buffer unpacked;
  for (std::size_t size :
       std::vector<std::size_t>{0, 1, 2, 100, 65'536, 786'432, 1 << 20, (1 << 20) + 1, 5'000'000}) {
    for (Content kind : {Content::zeros, Content::repetitive, Content::random}) {
      std::string text = make_content(size, kind);
      compressor->compress(as_bytes(text), packed);
      auto result = decompressor->decompress(packed.view(), size, size, unpacked);
      EXPECT_TRUE(result.complete);
      EXPECT_EQ(result.consumed, packed.size());
      ASSERT_TRUE(as_text(unpacked.view()) == text) << size;
    }
  }
}

TEST_P(CompressionTest, CompressesWhatCanBe) {
  EXPECT_LT(compressed(GetParam(), make_content(1'000'000, Content::zeros)).size(), 10'000U);
  EXPECT_LT(compressed(GetParam(), make_content(1'000'000, Content::random)).size(), 1'010'000U);
}

TEST_P(CompressionTest, MemoryStopsNearTheLimit) {
  constexpr std::size_t kLimit = 4 << 20;
  constexpr std::size_t kOneBlock = (1 << 20) + (128 << 10);
  std::string packed = compressed(GetParam(), make_content(16 << 20, Content::zeros));
  for (std::size_t expected : {std::size_t{0}, kLimit, std::size_t{16} << 20}) {
    Buffer to;
    auto result = make_decompressor(GetParam())->decompress(as_bytes(packed), expected, kLimit, to);
    EXPECT_FALSE(result.complete);
    EXPECT_LE(to.size(), kLimit);
    EXPECT_LE(to.capacity(), kLimit + kOneBlock) << expected;
  }
}

TEST_P(CompressionTest, AStopEndsIt) {
  std::string packed = compressed(GetParam(), make_content(300'000, Content::repetitive));
  auto decompressor = make_decompressor(GetParam());
  std::stop_source stop;
  stop.request_stop();
  Buffer to;
  EXPECT_ERROR(cancelled,
               decompressor->decompress(as_bytes(packed), 300'000, kNoLimit, to, stop.get_token()));
  EXPECT_TRUE(decompressor->decompress(as_bytes(packed), 300'000, kNoLimit, to).complete);
}

TEST_P(CompressionTest, WhatIsExpectedIsOnlyAHint) {
  std::string text = make_content(300'000, Content::repetitive);
  std::string packed = compressed(GetParam(), text);
  for (std::size_t expected :
       std::vector<std::size_t>{0, 1, 299'999, 300'000, 300'001, 10'000'000, SIZE_MAX}) {
    auto outcome = decompressed(GetParam(), packed, expected);
    EXPECT_TRUE(outcome.complete) << expected;
    EXPECT_TRUE(outcome.text == text) << expected;
  }
}

TEST_P(CompressionTest, APromiseReservesLittle) {
  std::string packed = compressed(GetParam(), "small");
  Buffer to;
  auto result = make_decompressor(GetParam())->decompress(as_bytes(packed), SIZE_MAX, kNoLimit, to);
  EXPECT_TRUE(result.complete);
  EXPECT_LT(to.capacity(), 6U << 20U);
}

TEST_P(CompressionTest, StopsAtTheLimit) {
  std::string text = make_content(3'000'000, Content::repetitive);
  std::string packed = compressed(GetParam(), text);
  for (std::size_t limit : std::vector<std::size_t>{0, 1, 1000, 1 << 20, 2'999'999}) {
    auto outcome = decompressed(GetParam(), packed, 3'000'000, limit);
    EXPECT_FALSE(outcome.complete) << limit;
    EXPECT_TRUE(outcome.text == text.substr(0, limit)) << limit;
  }
  EXPECT_TRUE(decompressed(GetParam(), packed, 3'000'000, 3'000'000).complete);
}

TEST_P(CompressionTest, ABombStaysWithinItsLimit) {
  std::string packed = compressed(GetParam(), make_content(50'000'000, Content::zeros));
  Buffer to;
  auto result = make_decompressor(GetParam())->decompress(as_bytes(packed), 0, 1'000'000, to);
  EXPECT_FALSE(result.complete);
  EXPECT_EQ(to.size(), 1'000'000U);
  EXPECT_LT(to.capacity(), 6'000'000U);
}

TEST_P(CompressionTest, EveryCutGivesWhatComesBeforeIt) {
  std::string text = make_content(3000, Content::repetitive);
  std::string packed = compressed(GetParam(), text);
  std::size_t last = 0;
  for (std::size_t cut = 0; cut < packed.size(); ++cut) {
    auto outcome = decompressed(GetParam(), packed.substr(0, cut), text.size());
    ASSERT_FALSE(outcome.complete) << cut;
    ASSERT_TRUE(text.starts_with(outcome.text)) << cut;
    ASSERT_GE(outcome.text.size(), last) << cut;
    ASSERT_LE(outcome.consumed, cut);
    last = outcome.text.size();
  }
  EXPECT_EQ(last, text.size());
}

TEST_P(CompressionTest, AFlippedByteIsNeverASilentWrongAnswer) {
  std::string text = make_content(2000, Content::repetitive);
  std::string packed = compressed(GetParam(), text);
  auto decompressor = make_decompressor(GetParam());
  Buffer to;
  for (std::size_t at = 0; at < packed.size(); ++at) {
    for (int mask : {0x01, 0x80, 0xff}) {
      std::string damaged = packed;
      damaged[at] = static_cast<char>(damaged[at] ^ mask);
      auto result = decompressor->decompress(as_bytes(damaged), text.size(), 100'000, to);
      ASSERT_LE(to.size(), 100'000U);
      ASSERT_TRUE(!result.complete || as_text(to.view()) == text) << at;
    }
  }
}

TEST_P(CompressionTest, NoiseIsRefused) {
  EXPECT_FALSE(decompressed(GetParam(), "").complete);
  for (std::size_t size : std::vector<std::size_t>{1, 4, 7, 20, 1000}) {
    auto outcome = decompressed(GetParam(), make_content(size, Content::random), 1000);
    EXPECT_FALSE(outcome.complete);
    EXPECT_EQ(outcome.text, "");
    EXPECT_EQ(outcome.consumed, 0U);
  }
}

TEST_P(CompressionTest, StreamsOneBehindTheOther) {
  std::string text = make_content(2'500'000, Content::repetitive);
  std::string packed =
      compressed(GetParam(), text) + compressed(GetParam(), "") + compressed(GetParam(), "more");
  auto outcome = decompressed(GetParam(), packed);
  EXPECT_TRUE(outcome.complete);
  EXPECT_EQ(outcome.consumed, packed.size());
  EXPECT_TRUE(outcome.text == text + "more");
}

TEST_P(CompressionTest, WhatFollowsTheStreamIsNotConsumed) {
  std::string packed = compressed(GetParam(), "content");
  for (std::string rest : {std::string("x"), std::string("some twelve bytes"),
                           std::string(100, '\0'), std::string("BZ"), std::string("\x04\x22")}) {
    auto outcome = decompressed(GetParam(), packed + rest);
    EXPECT_FALSE(outcome.complete) << rest;
    EXPECT_EQ(outcome.consumed, packed.size()) << rest;
    EXPECT_EQ(outcome.text, "content");
  }
}

TEST_P(CompressionTest, AnObjectForgetsWhatWentWrong) {
  auto decompressor = make_decompressor(GetParam());
  std::string text = make_content(100'000, Content::repetitive);
  std::string packed = compressed(GetParam(), text);
  Buffer to;
  for (std::size_t cut = 0; cut < packed.size(); cut += 997) {
    decompressor->decompress(as_bytes(packed).first(cut), text.size(), kNoLimit, to);
    auto result = decompressor->decompress(as_bytes(packed), text.size(), kNoLimit, to);
    ASSERT_TRUE(result.complete);
    ASSERT_TRUE(as_text(to.view()) == text);
  }
}

INSTANTIATE_TEST_SUITE_P(Names, CompressionTest, testing::Values("lz4", "bz2", "zstd"));

TEST(Lz4, WritesFramesThatRoslz4Reads) {
  std::string packed = compressed("lz4", make_content(100'000, Content::repetitive));
  EXPECT_EQ(packed.substr(0, 4), "\x04\x22\x4d\x18");
  EXPECT_EQ(packed[4], 0x64);  // version 1, independent blocks, content checksum, nothing else
  EXPECT_EQ(packed[5], 0x60);  // blocks of 1 MiB
}

struct FrameKind {
  LZ4F_blockMode_t mode;
  LZ4F_blockSizeID_t size;
  LZ4F_blockChecksum_t block_checksum;
  LZ4F_contentChecksum_t content_checksum;
  bool has_size;
};

std::vector<FrameKind> every_kind_of_frame() {
  std::vector<FrameKind> kinds;
  for (auto mode : {LZ4F_blockLinked, LZ4F_blockIndependent}) {
    for (auto size : {LZ4F_max64KB, LZ4F_max256KB, LZ4F_max4MB}) {
      for (auto block : {LZ4F_noBlockChecksum, LZ4F_blockChecksumEnabled}) {
        for (auto content : {LZ4F_noContentChecksum, LZ4F_contentChecksumEnabled}) {
          for (bool has_size : {false, true}) {
            kinds.push_back({mode, size, block, content, has_size});
          }
        }
      }
    }
  }
  return kinds;
}

std::string lz4_frame(std::string_view text, const FrameKind& kind) {
  LZ4F_preferences_t preferences{};
  preferences.frameInfo.blockMode = kind.mode;
  preferences.frameInfo.blockSizeID = kind.size;
  preferences.frameInfo.blockChecksumFlag = kind.block_checksum;
  preferences.frameInfo.contentChecksumFlag = kind.content_checksum;
  preferences.frameInfo.contentSize = kind.has_size ? text.size() : 0;
  return lz4_frame(text, preferences);
}

TEST(Lz4, ReadsFramesOfOtherWriters) {
  std::string text = make_content(300'000, Content::repetitive);
  for (const FrameKind& kind : every_kind_of_frame()) {
    std::string packed = lz4_frame(text, kind);
    for (std::size_t expected : std::vector<std::size_t>{0, text.size()}) {
      auto outcome = decompressed("lz4", packed, expected);
      EXPECT_TRUE(outcome.complete);
      EXPECT_TRUE(outcome.text == text);
    }
    auto twice = decompressed("lz4", packed + packed);
    EXPECT_TRUE(twice.complete);
    EXPECT_TRUE(twice.text == text + text);
  }
}

TEST(Lz4, FindsDamageInTheFramesOfOtherWriters) {
  std::string text = make_content(300'000, Content::repetitive);
  for (const FrameKind& kind : every_kind_of_frame()) {
    bool is_checked = kind.block_checksum || kind.content_checksum;
    std::string packed = lz4_frame(text, kind);
    for (std::size_t at : {packed.size() / 3, packed.size() / 2, packed.size() - 1}) {
      std::string damaged = packed;
      damaged[at] = static_cast<char>(damaged[at] ^ 0x04);
      auto outcome = decompressed("lz4", damaged, text.size());
      EXPECT_TRUE(!is_checked || !outcome.complete) << at;
      EXPECT_LE(outcome.text.size(), text.size() + (4U << 20U));
    }
  }
}

TEST(Lz4, EveryCutOfEveryKindOfFrameGivesWhatComesBeforeIt) {
  // Noise in the middle: some blocks are compressed and some stored.
  std::string text = make_content(70'000, Content::repetitive) +
                     make_content(140'000, Content::random) + make_content(70'000, Content::zeros);
  for (auto blocks : {LZ4F_blockLinked, LZ4F_blockIndependent}) {
    for (auto checksum : {LZ4F_noBlockChecksum, LZ4F_blockChecksumEnabled}) {
      LZ4F_preferences_t preferences{};
      preferences.frameInfo.blockMode = blocks;
      preferences.frameInfo.blockSizeID = LZ4F_max64KB;
      preferences.frameInfo.blockChecksumFlag = checksum;
      std::string packed = lz4_frame(text, preferences);
      std::size_t last = 0;
      for (std::size_t cut = 0; cut < packed.size(); cut += 331) {
        auto outcome = decompressed("lz4", packed.substr(0, cut));
        ASSERT_FALSE(outcome.complete);
        ASSERT_TRUE(text.starts_with(outcome.text)) << cut;
        ASSERT_GE(outcome.text.size(), last) << cut;
        last = outcome.text.size();
      }
      EXPECT_GT(last, 200'000U);
    }
  }
}

TEST(Lz4, ACutBlockIsSavedUpToTheCut) {
  std::string text = make_content(600'000, Content::repetitive);  // one block
  std::string packed = compressed("lz4", text);
  auto outcome = decompressed("lz4", packed.substr(0, packed.size() / 2), text.size());
  EXPECT_FALSE(outcome.complete);
  EXPECT_GT(outcome.text.size(), text.size() / 3);
  EXPECT_TRUE(text.starts_with(outcome.text));
}

TEST(Lz4, ADamagedBlockDoesNotTakeThoseBeforeIt) {
  std::string text = make_content(3 << 20, Content::random);  // three blocks, stored
  std::string packed = compressed("lz4", text);
  std::size_t third = 7 + 2 * (4 + (1U << 20U));
  packed[third + 3] = '\x7f';  // a size that cannot be
  auto outcome = decompressed("lz4", packed, text.size());
  EXPECT_FALSE(outcome.complete);
  EXPECT_TRUE(outcome.text == text.substr(0, 2U << 20U));
}

TEST(Lz4, AWrongContentChecksumIsFound) {
  std::string packed = compressed("lz4", "some content");
  packed.back() = static_cast<char>(packed.back() ^ 1);
  auto outcome = decompressed("lz4", packed);
  EXPECT_FALSE(outcome.complete);
  EXPECT_EQ(outcome.text, "some content");
}

TEST(Lz4, SkippableFramesAreSkipped) {
  std::string skippable("\x50\x2a\x4d\x18\x05\0\0\0hello", 13);
  auto outcome = decompressed("lz4", skippable + compressed("lz4", "content") + skippable);
  EXPECT_TRUE(outcome.complete);
  EXPECT_EQ(outcome.text, "content");
}

TEST(Bz2, IsReadByBzip2AndReadsIt) {
  std::string text = make_content(100'000, Content::repetitive);
  std::string packed = compressed("bz2", text);
  std::string unpacked(text.size(), '\0');
  auto size = static_cast<unsigned>(unpacked.size());
  ASSERT_EQ(BZ2_bzBuffToBuffDecompress(unpacked.data(), &size, packed.data(),
                                       static_cast<unsigned>(packed.size()), 0, 0),
            BZ_OK);
  EXPECT_TRUE(unpacked == text);
  EXPECT_EQ(packed.substr(0, 4), "BZh2");
}

TEST(Bz2, ADamagedBlockDoesNotTakeThoseBeforeIt) {
  std::string text = make_content(2'000'000, Content::random);  // blocks of 900 kB
  std::string packed = compressed("bz2", text);
  packed[1'900'000] = static_cast<char>(packed[1'900'000] ^ 0x10);
  auto outcome = decompressed("bz2", packed, text.size());
  EXPECT_FALSE(outcome.complete);
  EXPECT_GE(outcome.text.size(), 1'700'000U);
  EXPECT_TRUE(text.starts_with(outcome.text.substr(0, 1'700'000)));
}

// Sequences of the block format: token, literals, distance, longer lengths.
class SalvageTest : public testing::Test {
 protected:
  std::string salvage(std::string_view block, std::size_t room = 100,
                      std::string_view history = "") {
    std::string bytes(history);
    bytes.resize(history.size() + room, '?');
    auto place = std::as_writable_bytes(std::span(bytes.data(), bytes.size()));
    std::size_t size = salvage_lz4_block(as_bytes(block), place, history.size());
    EXPECT_EQ(bytes.substr(0, history.size()), history);
    return bytes.substr(history.size(), size);
  }
};

using namespace std::string_view_literals;

TEST_F(SalvageTest, LiteralsAndMatches) {
  EXPECT_EQ(salvage("\x30"
                    "abc"sv),
            "abc");
  EXPECT_EQ(salvage("\x32"
                    "abc\x03\0\x10!"sv),
            "abcabcabc!");
}

TEST_F(SalvageTest, MatchesMayOverlapThemselves) {
  EXPECT_EQ(salvage("\x1f"
                    "a\x01\0\x05"sv),
            std::string(1 + 4 + 15 + 5, 'a'));
}

TEST_F(SalvageTest, MatchesReachIntoTheHistory) {
  EXPECT_EQ(salvage("\x00\x06\0"sv, 100, "abcdef"), "abcd");
}

TEST_F(SalvageTest, StopsWhereASequenceIsCut) {
  EXPECT_EQ(salvage(""), "");
  EXPECT_EQ(salvage("\x50"
                    "abc"sv),
            "abc");
  EXPECT_EQ(salvage("\xf0\xff"sv), "");
  EXPECT_EQ(salvage("\x32"
                    "abc\x03"sv),
            "abc");
  EXPECT_EQ(salvage("\x3f"
                    "abc\x03\0\xff"sv),
            "abc");
}

TEST_F(SalvageTest, StopsAtAMatchThatPointsNowhere) {
  EXPECT_EQ(salvage("\x32"
                    "abc\x04\0\x10!"sv),
            "abc");
  EXPECT_EQ(salvage("\x32"
                    "abc\0\0\x10!"sv),
            "abc");
}

TEST_F(SalvageTest, NeverWritesBeyondItsRoom) {
  EXPECT_EQ(salvage("\x50"
                    "abcde"sv,
                    3),
            "abc");
  EXPECT_EQ(salvage("\x1f"
                    "a\x01\0\xff\x05"sv,
                    10),
            std::string(10, 'a'));
  EXPECT_EQ(salvage("\x10"
                    "a"sv,
                    0),
            "");
}

}  // namespace
}  // namespace kitbag
