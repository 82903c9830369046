#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "kitbag/error.h"
#include "parquet/delta.h"
#include "parquet/delta_decoder.h"
#include "parquet/page_codec.h"
#include "parquet/run_decoder.h"
#include "parquet/run_encoder.h"
#include "parquet/value_decoder.h"
#include "tests/support/code_of.h"

// Each encoding of values by itself, as it is read.

namespace kitbag::parquet {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

using test::code_of;

/// What a random number of bits can hold, with runs in between.
std::vector<std::uint32_t> random_numbers(std::mt19937& random, unsigned width) {
  std::vector<std::uint32_t> numbers;
  for (std::size_t runs = random() % 12; runs > 0; --runs) {
    std::uint64_t mask = (std::uint64_t{1} << width) - 1;
    auto value = static_cast<std::uint32_t>(random() & mask);
    numbers.insert(numbers.end(), random() % 3 == 0 ? random() % 100 : 1, value);
  }
  return numbers;
}

TEST(RunDecoder, ReadsWhatTheEncoderWrites) {
  std::mt19937 random(3);
  for (int i = 0; i < 3000; ++i) {
    auto width = static_cast<unsigned>(random() % 33);
    auto numbers = random_numbers(random, width);
    RunEncoder encoder;
    encoder.begin(width);
    encoder.add(std::span<const std::uint32_t>(numbers));
    Buffer bytes;
    bytes.append(encoder.end());
    RunDecoder decoder(bytes.view(), width);
    std::vector<std::uint32_t> found(numbers.size());
    std::size_t split = numbers.empty() ? 0 : random() % numbers.size();
    decoder.read(std::span(found).first(split));
    decoder.read(std::span(found).subspan(split));
    ASSERT_EQ(found, numbers) << width;
  }
}

TEST(RunDecoder, EndsWithItsBytes) {
  const std::string two = "\x04\x07";  // twice 7
  RunDecoder decoder(as_bytes(two), 3);
  std::vector<std::uint32_t> three(3);
  EXPECT_EQ(code_of([&] { decoder.read(three); }), ErrorCode::truncated);
  EXPECT_EQ(code_of([] { RunDecoder(ByteView(), 33); }), ErrorCode::corrupt);
}

template <class T>
void require_same_deltas() {
  std::mt19937_64 random(5);
  for (int i = 0; i < 500; ++i) {
    std::vector<T> values(random() % 300);
    for (T& value : values) value = static_cast<T>(random() >> random() % 64);
    Buffer bytes;
    put_deltas(bytes, std::span<const T>(values));
    bytes.append(as_bytes("behind"));
    DeltaDecoder decoder(bytes.view());
    ASSERT_EQ(decoder.count(), values.size());
    ASSERT_EQ(as_text(decoder.behind()), "behind") << values.size();
    for (T value : values) ASSERT_EQ(static_cast<T>(decoder.next()), value);
    ASSERT_EQ(code_of([&] { decoder.next(); }), ErrorCode::truncated);
  }
}

TEST(DeltaDecoder, ReadsWhatIsWritten) {
  require_same_deltas<std::uint32_t>();
  require_same_deltas<std::uint64_t>();
}

TEST(DeltaDecoder, RefusesBlocksOfNoSize) {
  for (const char* bytes : {"\x00\x04\x01\x00", "\x80\x01\x03\x01\x00", "\x08\x02\x01\x00"}) {
    std::string text(bytes, 5);
    EXPECT_EQ(code_of([&] { DeltaDecoder decoder(as_bytes(text)); }), ErrorCode::corrupt);
  }
}

constexpr std::int32_t kPlain = 0;
constexpr std::int32_t kRuns = 3;
constexpr std::int32_t kDeltaLengths = 6;
constexpr std::int32_t kDeltaTexts = 7;
constexpr std::int32_t kIndexes = 8;
constexpr std::int32_t kSplitBytes = 9;

void add_deltas(Buffer& page, std::vector<std::uint32_t> values) {
  put_deltas(page, std::span<const std::uint32_t>(values));
}

TEST(ValueDecoder, LengthsInFrontOfTexts) {
  Buffer page;
  add_deltas(page, {5, 0, 3});
  page.append(as_bytes("helloyou"));
  auto decoder = make_decoder(kDeltaLengths, {StoredType::bytes}, page.view(), nullptr);
  EXPECT_EQ(as_text(decoder->read_bytes()), "hello");
  EXPECT_EQ(as_text(decoder->read_bytes()), "");
  EXPECT_EQ(as_text(decoder->read_bytes()), "you");
  EXPECT_EQ(code_of([&] { decoder->read_bytes(); }), ErrorCode::truncated);
}

TEST(ValueDecoder, TextsThatBeginAsTheOneBefore) {
  Buffer page;
  add_deltas(page, {0, 4, 2, 0});
  add_deltas(page, {6, 1, 0, 1});
  page.append(
      as_bytes("carpet"
               "s"
               "x"));
  auto decoder = make_decoder(kDeltaTexts, {StoredType::bytes}, page.view(), nullptr);
  for (const char* text : {"carpet", "carps", "ca", "x"}) {
    EXPECT_EQ(as_text(decoder->read_bytes()), text);
  }
  Buffer wrong;
  add_deltas(wrong, {1});
  add_deltas(wrong, {0});
  auto bad = make_decoder(kDeltaTexts, {StoredType::bytes}, wrong.view(), nullptr);
  EXPECT_EQ(code_of([&] { bad->read_bytes(); }), ErrorCode::corrupt);
}

TEST(ValueDecoder, BytesThatAreSplit) {
  const std::string page = "adbecf";
  auto decoder = make_decoder(kSplitBytes, {StoredType::fixed_bytes, 3}, as_bytes(page), nullptr);
  std::string found(6, ' ');
  decoder->read_fixed(reinterpret_cast<std::byte*>(found.data()), 2);
  EXPECT_EQ(found, "abcdef");
  std::byte more[3];
  EXPECT_EQ(code_of([&] { decoder->read_fixed(more, 1); }), ErrorCode::truncated);
}

TEST(ValueDecoder, BooleansAsBitsAndAsRuns) {
  std::byte found[10];
  const std::string bits = "\x05\x02";
  make_decoder(kPlain, {StoredType::boolean}, as_bytes(bits), nullptr)->read_fixed(found, 10);
  EXPECT_EQ(found[0], std::byte{1});
  EXPECT_EQ(found[1], std::byte{0});
  EXPECT_EQ(found[9], std::byte{1});
  const std::string runs("\x02\x00\x00\x00\x14\x01", 6);  // ten times 1
  make_decoder(kRuns, {StoredType::boolean}, as_bytes(runs), nullptr)->read_fixed(found, 10);
  EXPECT_EQ(found[1], std::byte{1});
}

TEST(ValueDecoder, RefusesWhatTheTypeCannotHave) {
  for (auto [encoding, type] :
       {std::pair{5, StoredType::float32}, std::pair{6, StoredType::int32},
        std::pair{kSplitBytes, StoredType::bytes}, std::pair{kRuns, StoredType::int32},
        std::pair{4, StoredType::int32}, std::pair{77, StoredType::bytes}}) {
    EXPECT_EQ(code_of([&, e = encoding, t = type] { make_decoder(e, {t}, ByteView(), nullptr); }),
              ErrorCode::unsupported);
  }
  EXPECT_EQ(code_of([] { make_decoder(kIndexes, {StoredType::bytes}, ByteView(), nullptr); }),
            ErrorCode::corrupt);
}

TEST(ValueDecoder, AnIndexBehindTheDictionary) {
  Buffer words;
  words.append(
      as_bytes(std::string("\x01\x00\x00\x00"
                           "a",
                           5)));
  Dictionary dictionary({StoredType::bytes}, std::move(words), 1);
  const std::string page = "\x01\x02\x01";  // once the index 1
  auto decoder = make_decoder(kIndexes, {StoredType::bytes}, as_bytes(page), &dictionary);
  EXPECT_EQ(code_of([&] { decoder->read_bytes(); }), ErrorCode::corrupt);
  EXPECT_EQ(code_of([] { Dictionary({StoredType::int64}, Buffer(), 1); }), ErrorCode::truncated);
}

TEST(PageCodec, RefusesWhatItDoesNotKnow) {
  for (int codec : {3, 5, 8, -1}) {
    EXPECT_EQ(code_of([&] { PageCodec page(codec); }), ErrorCode::unsupported);
  }
  for (int codec : {1, 2, 4, 6, 7}) {
    Buffer out;
    const std::string noise = "not what a compressor writes";
    EXPECT_EQ(code_of([&] { PageCodec(codec).unpack(as_bytes(noise), 100, out, {}); }),
              ErrorCode::corrupt)
        << codec;
    EXPECT_EQ(code_of([&] { PageCodec(codec).unpack(as_bytes(noise), 1 << 30, out, {}); }),
              ErrorCode::limit)
        << codec;
  }
}

}  // namespace
}  // namespace kitbag::parquet
