#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "arrow/owned.h"
#include "import/cell.h"
#include "kitbag/csv.h"
#include "kitbag/error.h"
#include "tests/support/slow.h"
#include "tests/support/thrown_by.h"

namespace kitbag {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

using CsvRows = std::vector<std::vector<std::string>>;

/// Gives a byte at a time, as a slow pipe does.
class SlowFile final : public ReadFile {
 public:
  explicit SlowFile(std::string text) : text_(std::move(text)) {}
  std::uint64_t size() const override { return UINT64_MAX; }
  bool is_forward_only() const override { return true; }
  std::size_t read(std::uint64_t offset, std::span<std::byte> into) const override {
    if (offset >= text_.size() || into.empty()) return 0;
    into[0] = static_cast<std::byte>(text_[static_cast<std::size_t>(offset)]);
    return 1;
  }

 private:
  std::string text_;
};

/// The names, then the rows; the lines on which these begin.
struct CsvTable {
  CsvRows rows;
  std::vector<std::uint64_t> lines;
};

CsvTable read_csv(std::shared_ptr<const ReadFile> file, const CsvOptions& options = {}) {
  auto reader = csv_reader(std::move(file), "x.csv", options);
  arrow::Owned<ArrowSchema> schema;
  reader->schema(schema.get());
  arrow::IpcField root = arrow::ipc_field(*schema);
  CsvTable table;
  table.rows.emplace_back();
  for (const arrow::IpcField& column : root.children) table.rows[0].push_back(column.name);
  for (std::uint64_t row = 0;;) {
    arrow::Owned<ArrowArray> batch;
    if (!reader->next(batch.get())) return table;
    for (std::int64_t i = 0; i < (*batch).length; ++i, ++row) {
      table.rows.emplace_back();
      for (std::size_t column = 0; column < root.children.size(); ++column) {
        table.rows.back().emplace_back(Cell(root, *batch, i).child(column).text());
      }
      table.lines.push_back(reader->line_of(row));
    }
  }
}

CsvRows rows_of(const std::string& text, const CsvOptions& options = {}) {
  CsvTable whole = read_csv(memory_file(as_bytes(text)), options);
  EXPECT_EQ(read_csv(std::make_shared<SlowFile>(text), options).rows, whole.rows);
  return whole.rows;
}

Error failure_of(const std::string& text) {
  Error error = test::thrown_by([&] { read_csv(memory_file(as_bytes(text))); });
  Error slow = test::thrown_by([&] { read_csv(std::make_shared<SlowFile>(text)); });
  EXPECT_STREQ(error.what(), slow.what());
  EXPECT_EQ(error.file(), "x.csv");
  return error;
}

TEST(CsvReader, ValuesAndLines) {
  EXPECT_THAT(rows_of("a,b\n1,2\n"), ElementsAre(ElementsAre("a", "b"), ElementsAre("1", "2")));
  EXPECT_THAT(rows_of("a,b\r\n,\r\n3,"),
              ElementsAre(ElementsAre("a", "b"), ElementsAre("", ""), ElementsAre("3", "")));
  EXPECT_THAT(rows_of("a\n\n1\n"),
              ElementsAre(ElementsAre("a"), ElementsAre(""), ElementsAre("1")));
  EXPECT_THAT(rows_of("\xef\xbb\xbf"
                      "a,b\n\n1,2\n\r\n"),
              ElementsAre(ElementsAre("a", "b"), ElementsAre("1", "2")));
  EXPECT_THAT(
      rows_of("a,b\n\"x\"\"y\",\"1,\r\n2\"\nr\rs,\"\"\n"),
      ElementsAre(ElementsAre("a", "b"), ElementsAre("x\"y", "1,\r\n2"), ElementsAre("r\rs", "")));
  EXPECT_THAT(rows_of("a;b\n1,0;2\n", {.delimiter = ';'}),
              ElementsAre(ElementsAre("a", "b"), ElementsAre("1,0", "2")));
  EXPECT_THAT(rows_of("a,b\n"), ElementsAre(ElementsAre("a", "b")));
}

TEST(CsvReader, KnowsTheLineOfARow) {
  const std::string text = "a,b\n1,\"x\ny\n\"\n\n2,3\n4,5\n";
  EXPECT_THAT(read_csv(memory_file(as_bytes(text)), {.batch_rows = 2}).lines,
              ElementsAre(2U, 6U, 7U));
}

TEST(CsvReader, WhatIsWrong) {
  EXPECT_THAT(failure_of("").what(), HasSubstr("is empty"));
  EXPECT_THAT(failure_of("a,a\n").what(), HasSubstr("line 1: two columns have the name \"a\""));
  EXPECT_THAT(failure_of("a,b\n1,2\n\n3\n").what(),
              HasSubstr("line 4: 1 values, and the first line has 2 names"));
  EXPECT_THAT(failure_of("a,b\n1,2,3\n").what(), HasSubstr("line 2: 3 values"));
  EXPECT_THAT(failure_of("a\n\xff\n").what(), HasSubstr("line 2: the text is not UTF-8"));
  EXPECT_THAT(failure_of("a\n\"x\"y\n").what(), HasSubstr("line 2: a quoted value is followed"));
  EXPECT_THAT(failure_of("a\n1\n\"x\ny\n").what(), HasSubstr("line 3: the quoted value"));
  EXPECT_EQ(failure_of("a\n\"x").code(), ErrorCode::truncated);
  EXPECT_EQ(failure_of(std::string(70'000, ',') + "\n").code(), ErrorCode::limit);
}

TEST(CsvReader, NoByteThatIsWrongDoesHarm) {
  const std::string text = "time,\"a\"\"b\",c\r\n1,\"x\n\"\"\",\xc3\xa9\r\n2,,3\n\n4,5,6";
  std::mt19937 random(1);
  constexpr int kCases = test::kIsSlow ? 2'000 : 20'000;
  for (int i = 0; i < kCases; ++i) {
    std::string changed = text.substr(0, random() % (text.size() + 1));
    if (!changed.empty()) changed[random() % changed.size()] = "\",\n\r\xff x"[random() % 7];
    try {
      read_csv(memory_file(as_bytes(changed)));
    } catch (const Error& error) {
      ASSERT_NE(error.code(), ErrorCode::io) << error.what();
    }
  }
}

TEST(CsvReader, RefusesDelimitersThatAreNone) {
  for (char c : {'"', '\n', '\r'}) {
    Error error = test::thrown_by([&] { rows_of("a\n", {.delimiter = c}); });
    EXPECT_EQ(error.code(), ErrorCode::invalid);
  }
}

}  // namespace
}  // namespace kitbag
