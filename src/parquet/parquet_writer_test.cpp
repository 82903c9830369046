#include "kitbag/parquet.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "arrow/ipc_field.h"
#include "kitbag/error.h"
#include "parquet/shredder.h"
#include "tests/support/thrown_by.h"

// What a file says is read by others in tests/interop/parquet_test.py. Here is what they cannot
// show: levels, arrays that are wrong, and memory.

namespace kitbag {
namespace {

using parquet::ColumnChunk;
using testing::HasSubstr;

/// A schema of structs on the stack.
struct Schema : ArrowSchema {
  explicit Schema(const char* as, const char* called = "x", std::vector<ArrowSchema*> fields = {})
      : ArrowSchema{}, pointers(std::move(fields)) {
    format = as;
    name = called;
    flags = ARROW_FLAG_NULLABLE;
    n_children = static_cast<std::int64_t>(pointers.size());
    children = pointers.data();
  }
  std::vector<ArrowSchema*> pointers;
};

/// An array of buffers of others.
struct Array : ArrowArray {
  Array(std::int64_t values, std::vector<const void*> at, std::vector<ArrowArray*> fields = {})
      : ArrowArray{}, addresses(std::move(at)), pointers(std::move(fields)) {
    length = values;
    null_count = -1;
    n_buffers = static_cast<std::int64_t>(addresses.size());
    buffers = addresses.data();
    n_children = static_cast<std::int64_t>(pointers.size());
    children = pointers.data();
  }
  std::vector<const void*> addresses;
  std::vector<ArrowArray*> pointers;
};

template <class Action>
std::string sentence_of(Action action) {
  return test::thrown_by(action).what();
}

/// The size of a struct in Thrift's compact protocol.
std::size_t struct_bytes(ByteView bytes) {
  std::size_t at = 0;
  for (;;) {
    auto header = std::to_integer<unsigned>(bytes[at++]);
    if (header == 0) return at;
    unsigned type = header & 0xF;
    if (type == parquet::ThriftWriter::kStruct) {
      at += struct_bytes(bytes.subspan(at));
    } else if (type > parquet::ThriftWriter::kFalse) {
      while (std::to_integer<unsigned>(bytes[at++]) >= 0x80) {
      }
    }
  }
}

/// What a page of a column has beside its values, and these.
struct Page {
  std::string repetitions;
  std::string definitions;
  std::string values;
};

std::string taken_text(ByteView& bytes) {
  std::uint32_t size = 0;
  std::memcpy(&size, bytes.data(), sizeof size);
  std::string text(as_text(bytes.subspan(sizeof size, size)));
  bytes = bytes.subspan(sizeof size + size);
  return text;
}

/// The only column of a table, as one page.
Page page_of(Schema column, Array values, std::int64_t begin = 0) {
  Schema schema("+s", "", {&column});
  Array batch(values.length, {nullptr}, {&values});
  auto root = arrow::ipc_field(schema);
  auto file = parquet::make_schema(root);
  EXPECT_EQ(file.leaves.size(), 1U);
  parquet::PageOptions options{.compressor = nullptr, .page_bytes = 1 << 20};
  std::vector<ColumnChunk> chunks;
  chunks.emplace_back(file.leaves[0], options);
  std::int64_t rows = values.length - begin;
  parquet::shred(root, batch, begin, rows, chunks);
  std::string bytes;
  auto entry = chunks[0].end(rows, 0, [&](ByteView piece) { bytes += as_text(piece); });
  EXPECT_EQ(entry.pages.size(), 1U);
  ByteView rest = as_bytes(bytes);
  rest = rest.subspan(struct_bytes(rest));
  Page page;
  if (file.leaves[0].most_repetition > 0) page.repetitions = taken_text(rest);
  if (file.leaves[0].most_definition > 0) page.definitions = taken_text(rest);
  page.values = as_text(rest);
  return page;
}

/// One group of eight numbers of `width` bits, as the encoding RLE has it.
std::string group(std::vector<unsigned> numbers, unsigned width) {
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < numbers.size(); ++i) bits |= std::uint64_t{numbers[i]} << i * width;
  return "\x03" + std::string(reinterpret_cast<const char*>(&bits), width);
}

TEST(Shredder, GivesLevelsOfLists) {
  // [[0, 1], null, [], [2, null]]
  const std::array<std::int32_t, 5> ends = {0, 2, 2, 2, 4};
  const std::uint8_t there = 0b1101;
  const std::array<float, 4> numbers = {0, 1, 2, 3};
  const std::uint8_t numbers_there = 0b0111;
  Schema item("f", "item");
  Array items(4, {&numbers_there, numbers.data()});
  Page page = page_of(Schema("+l", "x", {&item}), Array(4, {&there, ends.data()}, {&items}));
  EXPECT_EQ(page.repetitions, group({0, 1, 0, 0, 0, 1}, 1));
  EXPECT_EQ(page.definitions, group({3, 3, 0, 1, 3, 2}, 2));
  EXPECT_EQ(page.values, std::string(reinterpret_cast<const char*>(numbers.data()), 12));
}

TEST(Shredder, GivesLevelsOfListsInLists) {
  // [[[0], [1, 2]], [[], [3]]]
  const std::array<std::int32_t, 3> outer = {0, 2, 4};
  const std::array<std::int32_t, 5> inner = {0, 1, 3, 3, 4};
  const std::array<float, 4> numbers = {0, 1, 2, 3};
  Schema item("f", "item");
  Schema list("+l", "item", {&item});
  Array items(4, {nullptr, numbers.data()});
  Array lists(4, {nullptr, inner.data()}, {&items});
  Page page = page_of(Schema("+l", "x", {&list}), Array(2, {nullptr, outer.data()}, {&lists}));
  EXPECT_EQ(page.repetitions, group({0, 1, 2, 0, 1}, 2));
  EXPECT_EQ(page.definitions, group({5, 5, 5, 3, 5}, 3));
  page = page_of(Schema("+l", "x", {&list}), Array(2, {nullptr, outer.data()}, {&lists}), 1);
  EXPECT_EQ(page.repetitions, group({0, 1}, 2));
  EXPECT_EQ(page.definitions, group({3, 5}, 3));
  EXPECT_EQ(page.values, std::string(reinterpret_cast<const char*>(&numbers[3]), 4));
}

TEST(Shredder, TakesOnlyTheSlice) {
  const std::array<float, 12> numbers = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  auto floats = [&](std::size_t from, std::size_t count) {
    return std::string(reinterpret_cast<const char*>(&numbers.at(from)), count * 4);
  };
  Schema item("f", "item");
  Array items(9, {nullptr, numbers.data()});
  items.offset = 3;
  Array lists(1, {nullptr}, {&items});
  lists.offset = 1;
  EXPECT_EQ(page_of(Schema("+w:2", "x", {&item}), lists).values, floats(5, 2));
  Array structs(2, {nullptr}, {&items});
  structs.offset = 4;
  EXPECT_EQ(page_of(Schema("+s", "x", {&item}), structs).values, floats(7, 2));
  // The same, where one is null: then places have numbers of their own.
  const std::uint8_t there = 0b100000;
  Array missing(2, {&there}, {&items});
  missing.offset = 4;
  Page page = page_of(Schema("+s", "x", {&item}), missing);
  EXPECT_EQ(page.values, floats(8, 1));
  EXPECT_EQ(page.definitions, group({0, 2}, 2));
}

TEST(Shredder, KeepsANullOfAFixedListFromTakingValues) {
  const std::array<float, 4> numbers = {0, 1, 2, 3};
  const std::uint8_t there = 0b10;
  Schema item("f", "item");
  Array items(4, {nullptr, numbers.data()});
  Page page = page_of(Schema("+w:2", "x", {&item}), Array(2, {&there}, {&items}));
  EXPECT_EQ(page.repetitions, group({0, 0, 1}, 1));
  EXPECT_EQ(page.definitions, group({0, 3, 3}, 2));
  EXPECT_EQ(page.values, std::string(reinterpret_cast<const char*>(&numbers[2]), 8));
}

TEST(Shredder, CountsStructuresWithoutFields) {
  const std::array<std::int32_t, 4> ends = {0, 2, 2, 3};
  Schema item("+s", "item");
  Array items(3, {nullptr});
  Page page = page_of(Schema("+l", "x", {&item}), Array(3, {nullptr, ends.data()}, {&items}));
  EXPECT_EQ(page.repetitions, group({0, 1, 0, 0}, 1));
  EXPECT_EQ(page.definitions, group({3, 3, 1, 3}, 2));
  EXPECT_EQ(page.values, std::string(1, '\0'));
}

/// Writes a table of one column.
void write(Schema column, Array values) {
  Schema schema("+s", "", {&column});
  Array batch(values.length, {nullptr}, {&values});
  auto writer = parquet_writer(schema, [](ByteView) {});
  writer->write(batch);
  writer->finish();
}

TEST(ParquetWriter, RefusesArraysThatAreNotAsTheSchemaSays) {
  const std::array<std::int32_t, 4> numbers = {0, 2, 1, 3};
  Schema item("i", "item");
  Array two(2, {nullptr, numbers.data()});
  auto refusal = [](const Schema& column, const Array& values) {
    return sentence_of([&] { write(column, values); });
  };
  EXPECT_THAT(refusal(Schema("i"), Array(1, {nullptr})), HasSubstr("\"x\" has 1 buffers"));
  EXPECT_THAT(refusal(Schema("u"), Array(3, {nullptr, numbers.data(), "abc"})),
              HasSubstr("out of order"));
  EXPECT_THAT(refusal(Schema("+l", "x", {&item}), Array(3, {nullptr, numbers.data()}, {&two})),
              HasSubstr("too few"));
  Schema texts("u");
  Schema indexes("i");
  indexes.dictionary = &texts;
  EXPECT_THAT(refusal(indexes, two), HasSubstr("has no dictionary"));
  const std::array<std::int32_t, 2> ends = {0, 1};
  Array one(1, {nullptr, ends.data(), "a"});
  two.dictionary = &one;
  EXPECT_THAT(refusal(indexes, two), HasSubstr("an index that is too large"));
  Schema complete("i");
  complete.flags = 0;
  const std::uint8_t there = 0b01;
  EXPECT_THAT(refusal(complete, Array(2, {&there, numbers.data()})), HasSubstr("has a null"));
}

TEST(ParquetWriter, RefusesSchemasThatItDoesNotKnow) {
  auto refusal = [](Schema column) {
    Schema schema("+s", "", {&column});
    return sentence_of([&] { parquet_writer(schema, [](ByteView) {}); });
  };
  for (const char* format : {"n", "e", "tdD", "tss:", "ttn", "tiM", "d:3,1"}) {
    EXPECT_THAT(refusal(Schema(format)), HasSubstr("is not written as Parquet")) << format;
  }
  Schema none("+s");
  EXPECT_THAT(sentence_of([&] { parquet_writer(none, [](ByteView) {}); }), HasSubstr("columns"));
  // More levels than a byte counts.
  std::vector<Schema> lists(200, Schema("+l", "item"));
  Schema number("i", "item");
  for (std::size_t i = 0; i < lists.size(); ++i) {
    lists[i].pointers = {i == 0 ? &number : &lists[i - 1]};
    lists[i].children = lists[i].pointers.data();
    lists[i].n_children = 1;
  }
  EXPECT_THAT(refusal(lists.back()), HasSubstr("more than 255 levels"));
}

TEST(ParquetWriter, HoldsOneRowGroup) {
  Schema column("g");
  Schema schema("+s", "", {&column});
  std::vector<double> numbers(1 << 16);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<double>(i * i % 7919);
  Array values(1 << 16, {nullptr, numbers.data()});
  Array batch(1 << 16, {nullptr}, {&values});
  std::uint64_t written = 0;
  constexpr std::uint64_t kGroupBytes = 4 << 20;
  auto writer =
      parquet_writer(schema, [&](ByteView bytes) { written += bytes.size(); },
                     {.zstd_level = 0, .row_group_bytes = kGroupBytes, .page_bytes = 1 << 16});
  for (int i = 0; i < 100; ++i) {
    writer->write(batch);
    EXPECT_LT(writer->held_bytes(), kGroupBytes + (1 << 20));
  }
  EXPECT_GT(written, 45U << 20) << "of 50 MiB";
  writer->end_row_group();
  EXPECT_EQ(writer->held_bytes(), 0U);
  writer->end_row_group();
  writer->finish();
}

}  // namespace
}  // namespace kitbag
