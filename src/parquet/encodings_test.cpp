#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "parquet/delta.h"
#include "parquet/run_encoder.h"
#include "parquet/statistics.h"
#include "parquet/text_dictionary.h"
#include "parquet/thrift.h"

// What is encoded is decoded again as the specification describes it:
// https://parquet.apache.org/docs/file-format/data-pages/encodings/

namespace kitbag::parquet {
namespace {

using testing::ElementsAre;

/// Reads bytes from their beginning on.
class Reader {
 public:
  explicit Reader(ByteView bytes) : bytes_(bytes) {}

  bool is_at_end() const { return at_ == bytes_.size(); }
  unsigned next() {
    EXPECT_LT(at_, bytes_.size());
    return at_ < bytes_.size() ? std::to_integer<unsigned>(bytes_[at_++]) : 0;
  }
  std::uint64_t number() {
    std::uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      unsigned byte = next();
      value |= std::uint64_t{byte & 0x7F} << shift;
      if (byte < 0x80) return value;
    }
  }
  std::int64_t signed_number() {
    std::uint64_t value = number();
    return static_cast<std::int64_t>(value >> 1 ^ (~(value & 1) + 1));
  }
  std::vector<std::uint64_t> bits(std::size_t count, unsigned width) {
    std::vector<std::uint64_t> all(count);
    unsigned byte = 0;
    for (std::size_t i = 0; i < count * width; ++i) {
      if (i % 8 == 0) byte = next();
      all[i / width] |= std::uint64_t{byte >> (i % 8) & 1} << i % width;
    }
    return all;
  }

 private:
  ByteView bytes_;
  std::size_t at_ = 0;
};

std::vector<std::uint32_t> decoded_runs(ByteView bytes, unsigned width, std::size_t count) {
  std::vector<std::uint32_t> all;
  Reader reader(bytes);
  while (!reader.is_at_end()) {
    std::uint64_t header = reader.number();
    if ((header & 1) != 0) {
      for (auto each : reader.bits((header >> 1) * 8, width)) {
        all.push_back(static_cast<std::uint32_t>(each));
      }
      continue;
    }
    std::uint32_t value = 0;
    for (unsigned shift = 0; shift < width; shift += 8) value |= reader.next() << shift;
    all.insert(all.end(), header >> 1, value);
  }
  EXPECT_GE(all.size(), count);
  EXPECT_LT(all.size(), count + 8) << "more than what fills a group up";
  all.resize(count);
  return all;
}

TEST(RunEncoder, GivesNumbersBack) {
  std::mt19937 random(7);
  RunEncoder encoder;
  for (unsigned width : {1U, 2U, 3U, 8U, 9U, 17U, 32U}) {
    for (std::size_t round = 0; round < 50; ++round) {
      std::vector<std::uint32_t> numbers;
      auto most = static_cast<std::uint32_t>((std::uint64_t{1} << width) - 1);
      while (numbers.size() < 200) {
        numbers.insert(numbers.end(), 1 + random() % (round + 1),
                       static_cast<std::uint32_t>(random()) & most);
      }
      encoder.begin(width);
      encoder.add(std::span<const std::uint32_t>(numbers));
      ASSERT_EQ(decoded_runs(encoder.end(), width, numbers.size()), numbers);
    }
  }
}

TEST(RunEncoder, WritesALongRunAsOne) {
  RunEncoder encoder;
  encoder.begin(1);
  encoder.add(1, 1'000'000);
  EXPECT_EQ(encoder.end().size(), 4U);
}

TEST(RunEncoder, WritesNothingOfNothing) {
  RunEncoder encoder;
  encoder.begin(1);
  EXPECT_EQ(encoder.end().size(), 0U);
}

template <class T>
std::vector<T> decoded_deltas(ByteView bytes) {
  Reader reader(bytes);
  std::uint64_t block = reader.number();
  std::uint64_t parts = reader.number();
  std::size_t count = reader.number();
  std::vector<T> all = {static_cast<T>(reader.signed_number())};
  while (all.size() < count) {
    auto least = static_cast<T>(reader.signed_number());
    std::vector<unsigned> widths(parts);
    for (unsigned& width : widths) width = reader.next();
    for (unsigned width : widths) {
      if (all.size() == count) break;
      for (std::uint64_t above : reader.bits(block / parts, width)) {
        if (all.size() == count) break;
        all.push_back(static_cast<T>(all.back() + least + static_cast<T>(above)));
      }
    }
  }
  EXPECT_TRUE(reader.is_at_end());
  return all;
}

template <class T>
void expect_deltas(const std::vector<T>& values) {
  Buffer bytes;
  put_deltas(bytes, std::span<const T>(values));
  ASSERT_EQ(decoded_deltas<T>(bytes.view()), values);
}

TEST(Deltas, GiveNumbersBack) {
  std::mt19937_64 random(7);
  for (std::size_t count : {1U, 2U, 31U, 32U, 33U, 128U, 129U, 130U, 500U}) {
    for (int shift = 0; shift < 64; shift += 7) {
      std::vector<std::uint64_t> values(count);
      for (auto& each : values) each = random() >> shift;
      expect_deltas(values);
      expect_deltas(std::vector<std::uint32_t>(values.begin(), values.end()));
    }
  }
  // Differences that do not fit into the type themselves.
  expect_deltas<std::uint64_t>({0x7FFFFFFFFFFFFFFF, 0x8000000000000000, 0, 1, 0xFFFFFFFFFFFFFFFF});
  expect_deltas<std::uint32_t>({0x7FFFFFFF, 0x80000000, 0, 0xFFFFFFFF, 1});
}

TEST(Deltas, OfRegularTimesTakeHardlyAnything) {
  std::vector<std::uint64_t> times(10'000);
  for (std::size_t i = 0; i < times.size(); ++i) times[i] = 1767225600000000000 + i * 10'000'000;
  Buffer bytes;
  put_deltas(bytes, std::span<const std::uint64_t>(times));
  EXPECT_LT(bytes.size(), 900U);
}

TEST(ThriftWriter, WritesTheCompactProtocol) {
  Buffer bytes;
  ThriftWriter writer(bytes);
  writer.begin_struct();
  writer.add(1, std::int32_t{-1});    // a field of type 5, one behind the last: 0x15, 1
  writer.add(17, std::int64_t{300});  // too far behind: its number follows
  writer.add(18, std::string_view("ab"));
  writer.begin_list(19, ThriftWriter::kInt32, 2);
  writer.element(std::int64_t{1});
  writer.element(std::int64_t{-2});
  writer.begin_struct(20);
  writer.add(3, true);
  writer.end_struct();
  writer.end_struct();
  std::vector<int> all;
  for (std::byte each : bytes.view()) all.push_back(std::to_integer<int>(each));
  EXPECT_THAT(all, ElementsAre(0x15, 1, 0x06, 34, 0xD8, 0x04, 0x18, 2, 'a', 'b', 0x19, 0x25, 2, 3,
                               0x1C, 0x31, 0, 0));
}

TEST(TextDictionary, EndsWhereItDoesNotPay) {
  TextDictionary few;
  for (int i = 0; i < 10'000; ++i) {
    ASSERT_EQ(few.number_of(std::to_string(i % 700)), static_cast<std::uint32_t>(i % 700));
  }
  TextDictionary many;
  int taken = 0;
  while (taken < 10'000 && many.number_of(std::to_string(taken))) ++taken;
  EXPECT_EQ(taken, 1000);
  EXPECT_EQ(many.texts().size(), 1000U);
  TextDictionary large;
  EXPECT_EQ(large.number_of(std::string(2 << 20, 'x')), std::nullopt);
}

template <class T>
std::string stored(T value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

template <class T>
Statistics of(Physical type, Order order, const std::vector<T>& values) {
  Leaf leaf{.type = type, .order = order, .path = {}};
  Statistics statistics(leaf);
  statistics.add_values(std::as_bytes(std::span(values)));
  return statistics;
}

TEST(Statistics, AreInTheOrderOfTheType) {
  auto with_sign = of<std::int32_t>(Physical::int32, Order::is_signed, {3, -1, 2});
  EXPECT_EQ(with_sign.least(), stored(-1));
  EXPECT_EQ(with_sign.most(), stored(3));
  auto without = of<std::int32_t>(Physical::int32, Order::is_unsigned, {3, -1, 2});
  EXPECT_EQ(without.least(), stored(2));
  EXPECT_EQ(without.most(), stored(-1));
  without.add(of<std::int32_t>(Physical::int32, Order::is_unsigned, {1}));
  EXPECT_EQ(without.least(), stored(1));
  EXPECT_EQ(without.most(), stored(-1));
}

TEST(Statistics, HaveBothZeros) {
  auto zeros = of<double>(Physical::float64, Order::real, {0.0});
  EXPECT_EQ(zeros.least(), stored(-0.0));
  EXPECT_EQ(zeros.most(), stored(0.0));
}

TEST(Statistics, HaveNoRangeWithNaN) {
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(of<double>(Physical::float64, Order::real, {1, kNaN}).has_range());
  EXPECT_FALSE(of<double>(Physical::float64, Order::real, {kNaN, 1}).has_range());
  auto all = of<double>(Physical::float64, Order::real, {1});
  EXPECT_TRUE(all.has_range());
  all.add(of<double>(Physical::float64, Order::real, {kNaN}));
  EXPECT_FALSE(all.has_range());
}

TEST(Statistics, OfLongTextsAreShortBounds) {
  Leaf leaf{.type = Physical::bytes, .order = Order::bytes, .path = {}};
  Statistics texts(leaf);
  EXPECT_FALSE(texts.has_range());
  const std::string text = std::string(63, 'a') + "\u00e9" + std::string(1000, 'z');
  texts.add_text(text);
  EXPECT_EQ(texts.least(), std::string(63, 'a')) << "cut between characters";
  EXPECT_EQ(texts.most(), std::string(62, 'a') + "b");
  EXPECT_FALSE(texts.is_least_exact());
  EXPECT_FALSE(texts.is_most_exact());
  texts.add_text("A");
  texts.add_text("zz");
  EXPECT_EQ(texts.least(), "A");
  EXPECT_EQ(texts.most(), "zz");
  EXPECT_TRUE(texts.is_least_exact());
  EXPECT_TRUE(texts.is_most_exact());
}

TEST(Statistics, KeepALongTextWithoutANextLetter) {
  Leaf leaf{.type = Physical::bytes, .order = Order::bytes, .path = {}};
  Statistics texts(leaf);
  std::string text;
  while (text.size() < 100) text += "\u00e9";
  texts.add_text(text);
  EXPECT_EQ(texts.most(), text);
  EXPECT_TRUE(texts.is_most_exact());
}

}  // namespace
}  // namespace kitbag::parquet
