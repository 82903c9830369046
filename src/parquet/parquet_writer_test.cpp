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
#include "tests/support/arrow_on_stack.h"
#include "tests/support/thrown_by.h"

// What a file says is read by others in tests/interop/parquet_test.py. Here is what they cannot
// show: levels, arrays that are wrong, and memory.

namespace kitbag {
namespace {

using parquet::ColumnChunk;
using test::sentence_of;
using test::StackArray;
using test::StackSchema;
using testing::HasSubstr;

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
Page page_of(StackSchema column, StackArray values, std::int64_t begin = 0) {
  StackSchema schema("+s", "", {&column});
  StackArray batch(values.length, {nullptr}, {&values});
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
  StackSchema item("f", "item");
  StackArray items(4, {&numbers_there, numbers.data()});
  Page page =
      page_of(StackSchema("+l", "x", {&item}), StackArray(4, {&there, ends.data()}, {&items}));
  EXPECT_EQ(page.repetitions, group({0, 1, 0, 0, 0, 1}, 1));
  EXPECT_EQ(page.definitions, group({3, 3, 0, 1, 3, 2}, 2));
  EXPECT_EQ(page.values, std::string(reinterpret_cast<const char*>(numbers.data()), 12));
}

TEST(Shredder, GivesLevelsOfListsInLists) {
  // [[[0], [1, 2]], [[], [3]]]
  const std::array<std::int32_t, 3> outer = {0, 2, 4};
  const std::array<std::int32_t, 5> inner = {0, 1, 3, 3, 4};
  const std::array<float, 4> numbers = {0, 1, 2, 3};
  StackSchema item("f", "item");
  StackSchema list("+l", "item", {&item});
  StackArray items(4, {nullptr, numbers.data()});
  StackArray lists(4, {nullptr, inner.data()}, {&items});
  Page page =
      page_of(StackSchema("+l", "x", {&list}), StackArray(2, {nullptr, outer.data()}, {&lists}));
  EXPECT_EQ(page.repetitions, group({0, 1, 2, 0, 1}, 2));
  EXPECT_EQ(page.definitions, group({5, 5, 5, 3, 5}, 3));
  page =
      page_of(StackSchema("+l", "x", {&list}), StackArray(2, {nullptr, outer.data()}, {&lists}), 1);
  EXPECT_EQ(page.repetitions, group({0, 1}, 2));
  EXPECT_EQ(page.definitions, group({3, 5}, 3));
  EXPECT_EQ(page.values, std::string(reinterpret_cast<const char*>(&numbers[3]), 4));
}

TEST(Shredder, TakesOnlyTheSlice) {
  const std::array<float, 12> numbers = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  auto floats = [&](std::size_t from, std::size_t count) {
    return std::string(reinterpret_cast<const char*>(&numbers.at(from)), count * 4);
  };
  StackSchema item("f", "item");
  StackArray items(9, {nullptr, numbers.data()});
  items.offset = 3;
  StackArray lists(1, {nullptr}, {&items});
  lists.offset = 1;
  EXPECT_EQ(page_of(StackSchema("+w:2", "x", {&item}), lists).values, floats(5, 2));
  StackArray structs(2, {nullptr}, {&items});
  structs.offset = 4;
  EXPECT_EQ(page_of(StackSchema("+s", "x", {&item}), structs).values, floats(7, 2));
  // The same, where one is null: then places have numbers of their own.
  const std::uint8_t there = 0b100000;
  StackArray missing(2, {&there}, {&items});
  missing.offset = 4;
  Page page = page_of(StackSchema("+s", "x", {&item}), missing);
  EXPECT_EQ(page.values, floats(8, 1));
  EXPECT_EQ(page.definitions, group({0, 2}, 2));
}

TEST(Shredder, KeepsANullOfAFixedListFromTakingValues) {
  const std::array<float, 4> numbers = {0, 1, 2, 3};
  const std::uint8_t there = 0b10;
  StackSchema item("f", "item");
  StackArray items(4, {nullptr, numbers.data()});
  Page page = page_of(StackSchema("+w:2", "x", {&item}), StackArray(2, {&there}, {&items}));
  EXPECT_EQ(page.repetitions, group({0, 0, 1}, 1));
  EXPECT_EQ(page.definitions, group({0, 3, 3}, 2));
  EXPECT_EQ(page.values, std::string(reinterpret_cast<const char*>(&numbers[2]), 8));
}

TEST(Shredder, CountsStructuresWithoutFields) {
  const std::array<std::int32_t, 4> ends = {0, 2, 2, 3};
  StackSchema item("+s", "item");
  StackArray items(3, {nullptr});
  Page page =
      page_of(StackSchema("+l", "x", {&item}), StackArray(3, {nullptr, ends.data()}, {&items}));
  EXPECT_EQ(page.repetitions, group({0, 1, 0, 0}, 1));
  EXPECT_EQ(page.definitions, group({3, 3, 1, 3}, 2));
  EXPECT_EQ(page.values, std::string(1, '\0'));
}

/// Writes a table of one column.
void write(StackSchema column, StackArray values) {
  StackSchema schema("+s", "", {&column});
  StackArray batch(values.length, {nullptr}, {&values});
  auto writer = parquet_writer(schema, [](ByteView) {});
  writer->write(batch);
  writer->finish();
}

TEST(ParquetWriter, RefusesArraysThatAreNotAsTheSchemaSays) {
  const std::array<std::int32_t, 4> numbers = {0, 2, 1, 3};
  StackSchema item("i", "item");
  StackArray two(2, {nullptr, numbers.data()});
  auto refusal = [](const StackSchema& column, const StackArray& values) {
    return sentence_of([&] { write(column, values); });
  };
  EXPECT_THAT(refusal(StackSchema("i"), StackArray(1, {nullptr})),
              HasSubstr("\"x\" has 1 buffers"));
  EXPECT_THAT(refusal(StackSchema("u"), StackArray(3, {nullptr, numbers.data(), "abc"})),
              HasSubstr("out of order"));
  EXPECT_THAT(
      refusal(StackSchema("+l", "x", {&item}), StackArray(3, {nullptr, numbers.data()}, {&two})),
      HasSubstr("too few"));
  StackSchema texts("u");
  StackSchema indexes("i");
  indexes.dictionary = &texts;
  EXPECT_THAT(refusal(indexes, two), HasSubstr("has no dictionary"));
  const std::array<std::int32_t, 2> ends = {0, 1};
  StackArray one(1, {nullptr, ends.data(), "a"});
  two.dictionary = &one;
  EXPECT_THAT(refusal(indexes, two), HasSubstr("an index that is too large"));
  StackSchema complete("i");
  complete.flags = 0;
  const std::uint8_t there = 0b01;
  EXPECT_THAT(refusal(complete, StackArray(2, {&there, numbers.data()})), HasSubstr("has a null"));
}

TEST(ParquetWriter, RefusesSchemasThatItDoesNotKnow) {
  auto refusal = [](StackSchema column) {
    StackSchema schema("+s", "", {&column});
    return sentence_of([&] { parquet_writer(schema, [](ByteView) {}); });
  };
  for (const char* format : {"n", "e", "tdD", "tss:", "ttn", "tiM", "d:3,1"}) {
    EXPECT_THAT(refusal(StackSchema(format)), HasSubstr("is not written as Parquet")) << format;
  }
  StackSchema none("+s");
  EXPECT_THAT(sentence_of([&] { parquet_writer(none, [](ByteView) {}); }), HasSubstr("columns"));
  // More levels than a byte counts.
  std::vector<StackSchema> lists(200, StackSchema("+l", "item"));
  StackSchema number("i", "item");
  for (std::size_t i = 0; i < lists.size(); ++i) {
    lists[i].pointers = {i == 0 ? &number : &lists[i - 1]};
    lists[i].children = lists[i].pointers.data();
    lists[i].n_children = 1;
  }
  EXPECT_THAT(refusal(lists.back()), HasSubstr("more than 255 levels"));
}

TEST(ParquetWriter, HoldsOneRowGroup) {
  StackSchema column("g");
  StackSchema schema("+s", "", {&column});
  std::vector<double> numbers(1 << 16);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<double>(i * i % 7919);
  StackArray values(1 << 16, {nullptr, numbers.data()});
  StackArray batch(1 << 16, {nullptr}, {&values});
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
