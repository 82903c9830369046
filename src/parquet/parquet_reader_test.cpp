#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "arrow/column.h"
#include "arrow/owned.h"
#include "kitbag/base64.h"
#include "kitbag/error.h"
#include "kitbag/parquet.h"
#include "parquet/arrow_durations.h"
#include "tests/support/code_of.h"
#include "tests/support/thrown_by.h"

// Files of other writers are read in tests/interop/parquet_test.py, tables of all types in
// tests/codecs/tables_test.cpp, each encoding by itself in decoders_test.cpp. Here are files of any
// pages and row groups, and files that are damaged in every byte.

namespace kitbag::parquet {
namespace {

using arrow::Column;
using arrow::ColumnType;
using arrow::Layout;
using arrow::Number;
using testing::HasSubstr;

using test::code_of;

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
                     arrow::list_type(part, "parts"),
                     {"delay", "tDu", Layout::fixed, Number::integer, 8}};
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
    columns[5].add(static_cast<std::int64_t>(i * 1000));
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

/// Formats of a structure's columns, with those in them.
std::string formats_of(const ArrowSchema& schema) {
  std::string all = schema.format;
  for (std::int64_t i = 0; i < schema.n_children; ++i) {
    all += " " + formats_of(*schema.children[i]);
  }
  return all;
}

TEST(ParquetReader, ArrowsSchemaSaysWhatIsADuration) {
  ColumnType part{"", "+s", Layout::structure};
  part.children = {{"s", "tDs", Layout::fixed, Number::integer, 8},
                   {"ms", "tDm", Layout::fixed, Number::integer, 8},
                   {"plain", "l", Layout::fixed, Number::integer, 8}};
  ColumnType table{"", "+s", Layout::structure};
  table.children = {arrow::text_type("name"),
                    arrow::list_type(part, "parts"),
                    {"us", "tDu", Layout::fixed, Number::integer, 8},
                    {"ns", "tDn", Layout::fixed, Number::integer, 8}};
  arrow::Owned<ArrowSchema> schema;
  arrow::export_schema(table, schema.get());
  std::string file;
  parquet_writer(*schema, [&](ByteView bytes) { file += as_text(bytes); }, {})->finish();
  auto reader = reader_of(file);
  arrow::Owned<ArrowSchema> read;
  reader->schema(read.get());
  EXPECT_EQ(formats_of(*read), "+s u +l +s tDs tDm l tDu tDn");

  // Whatever is wrong with it, the columns stay what Parquet says, or become other durations.
  std::string told;
  for (const auto& [key, value] : reader->key_values()) {
    if (key == "ARROW:schema") told = value;
  }
  auto bytes = decode_base64(told);
  ASSERT_TRUE(bytes);
  auto taken = [&](ByteView damaged) {
    ColumnType changed = table;
    changed.children[2].format = "l";
    take_arrow_durations(encode_base64(damaged), changed);
    return changed.children[2].format;
  };
  EXPECT_EQ(taken(*bytes), "tDu");
  EXPECT_EQ(taken(ByteView(*bytes).subspan(4)), "tDu") << "as before Arrow 0.15";
  for (std::size_t size = 0; size < bytes->size(); ++size) taken(ByteView(*bytes).first(size));
  std::set<std::string> seen;
  for (std::byte& each : *bytes) {
    for (unsigned bit = 0; bit < 8; ++bit) {
      each ^= static_cast<std::byte>(1U << bit);
      seen.insert(taken(*bytes));
      each ^= static_cast<std::byte>(1U << bit);
    }
  }
  EXPECT_THAT(seen, testing::IsSubsetOf({"l", "tDs", "tDm", "tDu", "tDn"}));
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
