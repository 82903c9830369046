#include "compress/stream.h"

#include <bzlib.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <string>

namespace kitbag {
namespace {

using State = StreamStep::State;

std::string gzipped(const std::string& text) {
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  std::string packed(text.size() + 1000, '\0');
  std::string input = text;
  stream.next_in = reinterpret_cast<Bytef*>(input.data());
  stream.avail_in = static_cast<unsigned>(input.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<unsigned>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

std::string bzipped(const std::string& text) {
  std::string packed(text.size() + 1000, '\0');
  std::string input = text;
  auto size = static_cast<unsigned>(packed.size());
  BZ2_bzBuffToBuffCompress(packed.data(), &size, input.data(), static_cast<unsigned>(input.size()),
                           9, 0, 0);
  packed.resize(size);
  return packed;
}

std::string zstd_packed(const std::string& text) {
  StreamCompressor stream;
  std::string packed(text.size() + 1000, '\0');
  StreamStep step = stream.step(as_bytes(text), std::as_writable_bytes(std::span(packed)), true);
  EXPECT_EQ(step.state, State::ended);
  packed.resize(step.given);
  return packed;
}

struct StreamCase {
  std::string_view name;
  std::string (*pack)(const std::string&);
};

/// All that comes out when `input` and `output` bytes are handed over at a time.
struct Streamed {
  std::string text;
  std::size_t taken = 0;
  std::size_t ends = 0;
  State state = State::going;
};

Streamed stream_all(std::string_view name, const std::string& packed, std::size_t input,
                    std::size_t output) {
  auto stream = make_stream_decompressor(name);
  Streamed all;
  std::string room(output, '\0');
  for (;;) {
    bool is_done = all.state == State::ended && all.taken == packed.size();
    if (is_done || all.state == State::damaged) return all;
    ByteView from = as_bytes(std::string_view(packed).substr(all.taken, input));
    StreamStep step = stream->step(from, std::as_writable_bytes(std::span(room)));
    all.text += room.substr(0, step.given);
    all.taken += step.taken;
    all.state = step.state;
    all.ends += step.state == State::ended ? 1U : 0U;
    if (step.taken + step.given == 0 && step.state == State::going) return all;
  }
}

class StreamTest : public ::testing::TestWithParam<StreamCase> {
 protected:
  static std::string sample() {
    std::string text;
    for (int i = 0; i < 3000; ++i) text += "line " + std::to_string(i * i) + "\n";
    return text;
  }
  std::string packed_ = GetParam().pack(sample());
};

TEST_P(StreamTest, UnpacksInStepsOfAnySize) {
  for (std::size_t input : {1U, 7U, 1000U, 1000000U}) {
    for (std::size_t output : {1U, 100U, 1000000U}) {
      Streamed all = stream_all(GetParam().name, packed_, input, output);
      EXPECT_EQ(all.text, sample());
      EXPECT_EQ(all.state, State::ended);
      EXPECT_EQ(all.taken, packed_.size());
    }
  }
}

TEST_P(StreamTest, GoesOnWithAStreamBehindAnother) {
  Streamed all = stream_all(GetParam().name, packed_ + GetParam().pack("more"), 100, 100);
  EXPECT_EQ(all.text, sample() + "more");
  EXPECT_EQ(all.ends, 2U);
}

TEST_P(StreamTest, IsStuckWhereTheInputEnds) {
  Streamed all = stream_all(GetParam().name, packed_.substr(0, packed_.size() - 1), 100, 100);
  EXPECT_EQ(all.state, State::going);
  EXPECT_EQ(stream_all(GetParam().name, "", 100, 100).state, State::going);
}

TEST_P(StreamTest, NoticesDamage) {
  std::size_t noticed = 0;
  for (std::size_t at = 10; at < packed_.size(); at += 97) {
    std::string damaged = packed_;
    damaged[at] = static_cast<char>(damaged[at] ^ 0xff);
    Streamed all = stream_all(GetParam().name, damaged, 100, 100);
    noticed += all.state == State::ended && all.text == sample() ? 0U : 1U;
  }
  EXPECT_EQ(noticed, (packed_.size() - 10 + 96) / 97);
}

TEST_P(StreamTest, IsKnownByItsFirstBytes) {
  EXPECT_EQ(stream_compression(as_bytes(packed_)), GetParam().name);
  EXPECT_EQ(stream_compression(as_bytes(packed_.substr(0, 1))), "");
  EXPECT_EQ(stream_compression(as_bytes("#ROSBAG V2.0\n")), "");
  EXPECT_EQ(stream_compression({}), "");
}

TEST(StreamNames, AreKnownByExtensions) {
  EXPECT_EQ(stream_compression_named(".gz"), "gz");
  EXPECT_EQ(stream_compression_named(".bz2"), "bz2");
  EXPECT_EQ(stream_compression_named(".zst"), "zstd");
  EXPECT_EQ(stream_compression_named(".zstd"), "zstd");
  EXPECT_EQ(stream_compression_named(".mcap"), "");
  EXPECT_EQ(stream_compression_named(""), "");
}

INSTANTIATE_TEST_SUITE_P(Names, StreamTest,
                         ::testing::Values(StreamCase{"gz", gzipped}, StreamCase{"bz2", bzipped},
                                           StreamCase{"zstd", zstd_packed}),
                         [](const auto& one) { return std::string(one.param.name); });

}  // namespace
}  // namespace kitbag
