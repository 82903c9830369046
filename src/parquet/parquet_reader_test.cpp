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

#include "arrow/column.h"
#include "arrow/owned.h"
#include "kitbag/error.h"
#include "kitbag/parquet.h"
#include "parquet/delta.h"
#include "parquet/delta_decoder.h"
#include "parquet/page_codec.h"
#include "parquet/run_decoder.h"
#include "parquet/run_encoder.h"
#include "parquet/table_schema.h"
#include "parquet/value_decoder.h"
#include "tests/support/thrown_by.h"

// Files of other writers are read in tests/interop/parquet_test.py, tables of all types in
// tests/codecs/tables_test.cpp. Here is each encoding by itself, schemas of old writers, and files
// that are damaged in every byte.

namespace kitbag::parquet {
namespace {

using arrow::Column;
using arrow::ColumnType;
using arrow::Layout;
using arrow::Number;
using testing::ElementsAre;
using testing::HasSubstr;

template <class Action>
ErrorCode code_of(Action action) {
  return test::thrown_by(action).code();
}

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

// --- schemas ---

StoredElement group(std::string name, std::int32_t repetition, std::int32_t children,
                    Logical logical = Logical::none) {
  StoredElement element;
  element.name = std::move(name);
  element.repetition = repetition;
  element.children = children;
  element.logical = logical;
  return element;
}

StoredElement number(std::string name, std::int32_t repetition) {
  StoredElement element;
  element.name = std::move(name);
  element.repetition = repetition;
  element.type = StoredType::int32;
  return element;
}

/// "list<int32?>": a column as a text; ? is nullable.
std::string shape(const ColumnType& type) {
  std::string text = type.format;
  if (type.format == "+l") text = "list";
  if (type.format == "+s") text = "struct";
  if (!type.children.empty()) {
    text += '<';
    for (const ColumnType& child : type.children) {
      text += (text.back() == '<' ? "" : ",") + child.name + ":" + shape(child);
    }
    text += '>';
  }
  return text + (type.is_nullable ? "?" : "");
}

std::string shape_of(std::vector<StoredElement> elements) {
  elements.insert(elements.begin(), group("root", 0, 1));
  return shape(make_table_schema(elements).type.children.front());
}

TEST(TableSchema, ListsOfAllAges) {
  constexpr int kRequired = 0;
  constexpr int kOptional = 1;
  constexpr int kRepeated = 2;
  auto list = group("x", kOptional, 1, Logical::list);
  EXPECT_EQ(shape_of({list, group("list", kRepeated, 1), number("element", kOptional)}),
            "list<item:i?>?");
  EXPECT_EQ(shape_of({list, group("bag", kRepeated, 1), number("array_element", kRequired)}),
            "list<item:i>?");
  EXPECT_EQ(shape_of({list, number("element", kRepeated)}), "list<item:i>?");
  EXPECT_EQ(shape_of({list, group("element", kRepeated, 2), number("a", kRequired),
                      number("b", kOptional)}),
            "list<item:struct<a:i,b:i?>>?");
  EXPECT_EQ(shape_of({list, group("array", kRepeated, 1), number("a", kRequired)}),
            "list<item:struct<a:i>>?");
  EXPECT_EQ(shape_of({list, group("x_tuple", kRepeated, 1), number("a", kRequired)}),
            "list<item:struct<a:i>>?");
  EXPECT_EQ(shape_of({number("x", kRepeated)}), "list<item:i>");
  EXPECT_EQ(shape_of({group("x", kRepeated, 1), number("a", kOptional)}),
            "list<item:struct<a:i?>>");
  EXPECT_EQ(shape_of({group("x", kRequired, 1, Logical::map), group("key_value", kRepeated, 2),
                      number("key", kRequired), number("value", kOptional)}),
            "list<item:struct<key:i,value:i?>>");
}

TEST(TableSchema, ElementsThatMakeNoTree) {
  auto fails = [](std::vector<StoredElement> elements) {
    return code_of([&] { make_table_schema(elements); });
  };
  EXPECT_EQ(fails({}), ErrorCode::corrupt);
  EXPECT_EQ(fails({group("root", 0, 2), number("a", 0)}), ErrorCode::corrupt);
  EXPECT_EQ(fails({group("root", 0, 1), number("a", 0), number("b", 0)}), ErrorCode::corrupt);
  EXPECT_EQ(fails({group("root", 0, 1), group("a", 0, 0)}), ErrorCode::corrupt);
  EXPECT_EQ(fails({group("root", 0, 0)}), ErrorCode::unsupported);
  std::vector<StoredElement> deep(500, group("a", 2, 1));
  EXPECT_EQ(fails(deep), ErrorCode::limit);
}

// --- files ---

/// A table with whatever makes pages: nulls, lists of structures, texts that repeat.
struct Sample {
  ColumnType type{.name = "", .format = "+s", .layout = Layout::structure, .is_nullable = false};
  std::string file;

  Sample(std::size_t rows, const ParquetOptions& options) {
    ColumnType part{"", "+s", Layout::structure};
    part.children = {arrow::text_type("name"), {"weight", "g", Layout::fixed, Number::real, 8}};
    type.children = {arrow::time_type("time"),
                     {"flag", "b", Layout::bits},
                     {"level", "C", Layout::fixed, Number::unsigned_integer, 1},
                     {"key", "w:3", Layout::fixed_binary, Number::none, 3},
                     arrow::list_type(part, "parts")};
    auto pool = std::make_shared<arrow::MemoryPool>(1 << 20);
    std::uint64_t replaced = 0;
    Column table(type, pool, replaced);
    for (std::size_t i = 0; i < rows; ++i) add_row(table, i);
    arrow::Owned<ArrowSchema> schema;
    arrow::export_schema(type, schema.get());
    auto writer = parquet_writer(
        *schema, [&](ByteView bytes) { file += as_text(bytes); }, options);
    arrow::Owned<ArrowArray> batch;
    table.move_to(batch.get());
    writer->write(*batch);
    writer->finish();
  }

  static void add_row(Column& table, std::size_t i) {
    table.add_parent();
    auto& columns = table.children();
    columns[0].add(static_cast<std::int64_t>(1'700'000'000'000'000'000 + i * i));
    if (i % 5 == 0) {
      columns[1].add_null();
    } else {
      columns[1].add_bit(i % 2 == 0);
    }
    columns[2].add(static_cast<std::uint8_t>(i));
    columns[3].add_bytes(as_bytes(i % 2 == 0 ? "abc" : "xyz"));
    if (i % 7 == 6) return columns[4].add_null();
    columns[4].begin_list(i % 4);
    Column& part = columns[4].element();
    for (std::size_t k = 0; k < i % 4; ++k) {
      if ((i + k) % 6 == 5) {
        part.add_null();
        continue;
      }
      part.add_parent();
      part.children()[0].add_text(k % 2 == 0 ? "front" : "rear");
      part.children()[1].add(0.5 * static_cast<double>(i));
    }
  }
};

std::unique_ptr<ParquetReader> reader_of(const std::string& file,
                                         const ParquetReadOptions& options = {}) {
  return parquet_reader(memory_file(as_bytes(file)), "x.parquet", options);
}

/// Reads at most `most` rows. Returns their number.
std::int64_t read_all(const std::string& file, std::int64_t most = INT64_MAX) {
  auto reader = reader_of(file);
  std::int64_t rows = 0;
  while (rows < most) {
    arrow::Owned<ArrowArray> batch;
    if (!reader->next(batch.get())) break;
    rows += (*batch).length;
  }
  return rows;
}

/// The same table again, which is the same file if nothing was lost.
std::string copied(const std::string& file, const ParquetOptions& options,
                   const ParquetReadOptions& how) {
  auto reader = reader_of(file, how);
  arrow::Owned<ArrowSchema> schema;
  reader->schema(schema.get());
  std::string copy;
  auto writer = parquet_writer(
      *schema, [&](ByteView bytes) { copy += as_text(bytes); }, options);
  for (;;) {
    arrow::Owned<ArrowArray> batch;
    if (!reader->next(batch.get())) break;
    writer->write(*batch);
  }
  writer->finish();
  return copy;
}

TEST(ParquetReader, ACopyIsTheSameFile) {
  for (std::uint64_t batch_rows : {1U, 7U, 1000U}) {
    for (int level : {0, 1}) {
      ParquetOptions options{.zstd_level = level};
      Sample sample(3000, options);
      // Batches end pages, so both are of one page.
      EXPECT_EQ(copied(sample.file, options, {.batch_rows = batch_rows}), sample.file)
          << batch_rows;
    }
  }
}

TEST(ParquetReader, PagesAndRowGroupsOfAnySize) {
  Sample whole(2000, {});
  for (std::uint64_t page_bytes : {1U, 100U, 5000U}) {
    Sample sample(2000, {.row_group_bytes = 4000, .page_bytes = page_bytes});
    EXPECT_EQ(copied(sample.file, {}, {}), whole.file) << page_bytes;
  }
}

TEST(ParquetReader, SaysWhatTheFileSays) {
  ParquetOptions options;
  options.key_values = {{"kitbag.topic", "/x"}, {"", "\xc3\xa9"}};
  Sample sample(3, options);
  auto reader = reader_of(sample.file);
  EXPECT_EQ(reader->rows(), 3U);
  EXPECT_EQ(reader->key_values().at(0), options.key_values[0]);
  EXPECT_EQ(reader->key_values().at(1), options.key_values[1]);
}

TEST(ParquetReader, ABatchEndsWithItsBytes) {
  Sample sample(3000, {});
  auto reader = reader_of(sample.file, {.batch_rows = 1 << 16, .batch_bytes = 1000});
  std::int64_t most = 0;
  for (std::int64_t rows = 0; rows < 3000;) {
    arrow::Owned<ArrowArray> batch;
    ASSERT_TRUE(reader->next(batch.get()));
    rows += (*batch).length;
    most = std::max(most, (*batch).length);
  }
  EXPECT_LT(most, 60);
}

TEST(ParquetReader, StopsWhenToldTo) {
  Sample sample(10, {});
  auto reader = reader_of(sample.file);
  std::stop_source stop;
  stop.request_stop();
  ArrowArray batch;
  EXPECT_EQ(code_of([&] { reader->next(&batch, {.stop = stop.get_token()}); }),
            ErrorCode::cancelled);
}

TEST(ParquetReader, WhatIsNoParquetFile) {
  EXPECT_EQ(code_of([] { reader_of(""); }), ErrorCode::truncated);
  EXPECT_EQ(code_of([] { reader_of(std::string(100, 'x')); }), ErrorCode::corrupt);
  std::string cut = Sample(10, {}).file;
  cut.resize(cut.size() - 5);
  Error error = test::thrown_by([&] { reader_of(cut); });
  EXPECT_EQ(error.code(), ErrorCode::truncated);
  EXPECT_THAT(error.what(), HasSubstr("x.parquet"));
  EXPECT_THAT(error.what(), HasSubstr("cut off"));
  std::string encrypted = Sample(10, {}).file;
  encrypted.replace(encrypted.size() - 4, 4, "PARE");
  EXPECT_EQ(code_of([&] { reader_of(encrypted); }), ErrorCode::unsupported);
}

/// Errors, or rows: nothing else.
void require_no_harm(const std::string& file) {
  try {
    read_all(file, 100'000);
  } catch (const Error& error) {
    ASSERT_NE(error.code(), ErrorCode::io) << error.what();
    ASSERT_EQ(error.file(), "x.parquet") << error.what();
  }
}

std::int64_t most_memory_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss * 1024;
}

TEST(ParquetReader, NoByteThatIsWrongDoesHarm) {
  [[maybe_unused]] std::int64_t before = most_memory_bytes();
  for (int level : {0, 1}) {
    const std::string file = Sample(40, {.zstd_level = level, .page_bytes = 100}).file;
    for (std::size_t i = 0; i < file.size(); ++i) {
      for (int change : {0x01, 0x80, 0xFF}) {
        std::string changed = file;
        changed[i] = static_cast<char>(changed[i] ^ change);
        require_no_harm(changed);
        if (HasFatalFailure()) return;
      }
    }
  }
#ifndef __SANITIZE_ADDRESS__  // which keeps what was freed, and limits single allocations
  EXPECT_LT(most_memory_bytes() - before, std::int64_t{300} << 20);
#endif
}

TEST(ParquetReader, NoCutDoesHarm) {
  const std::string file = Sample(40, {.zstd_level = 0, .page_bytes = 100}).file;
  for (std::size_t size = 0; size < file.size(); ++size) {
    EXPECT_NE(code_of([&] { reader_of(file.substr(0, size)); }), ErrorCode::io);
    // The middle is missing, and the end is there.
    require_no_harm(file.substr(0, size / 2) + file.substr(file.size() - size / 2));
    if (HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace kitbag::parquet
