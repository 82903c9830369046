#include "storage/sqlite3/pages/create_statement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kitbag::sqlite3 {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> names_of(const DeclaredTable& table) {
  std::vector<std::string> names;
  for (const DeclaredColumn& column : table.columns) names.push_back(column.name);
  return names;
}

TEST(CreateStatement, NamesColumnsHoweverTheyAreWritten) {
  auto table = parse_create_table(
      "CREATE TABLE \"mess\"\"ages\"( -- a remark, with a comma\n"
      "id INTEGER PRIMARY KEY, [topic id] INT(8, 2) /* , no */ NOT NULL,\n`a``b` CHECK (a > ',)'),"
      "\"data\" BLOB, PRIMARY KEY (id, data), CHECK (id > 0))");
  ASSERT_TRUE(table);
  EXPECT_THAT(names_of(*table), ElementsAre("id", "topic id", "a`b", "data"));
  EXPECT_TRUE(table->has_row_ids);
}

TEST(CreateStatement, HasLiteralsAsDefaults) {
  auto table = parse_create_table(
      "CREATE TABLE t(a DEFAULT -5 NOT NULL, b TEXT DEFAULT 'it''s', c DEFAULT NULL, d default +7, "
      "e DEFAULT x'41', f DEFAULT TRUE, g)");
  ASSERT_TRUE(table);
  ASSERT_EQ(table->columns.size(), 7U);
  EXPECT_EQ(table->columns[0].value.integer, -5);
  EXPECT_EQ(table->columns[1].value.text, "it's");
  EXPECT_EQ(table->columns[1].value.integer, std::nullopt);
  EXPECT_EQ(table->columns[2].value.text, "");
  EXPECT_EQ(table->columns[3].value.integer, 7);
  EXPECT_EQ(table->columns[4].value.text, "");
  EXPECT_EQ(table->columns[5].value.integer, 1);
  EXPECT_EQ(table->columns[6].value.integer, std::nullopt);
}

TEST(CreateStatement, ColumnsThatAreComputedAreNotInRecords) {
  auto table = parse_create_table(
      "CREATE TABLE t(a, b GENERATED ALWAYS AS (a + 1) VIRTUAL, c AS (a) STORED, d AS (a))");
  ASSERT_TRUE(table);
  std::vector<bool> stored;
  for (const DeclaredColumn& column : table->columns) stored.push_back(column.is_stored);
  EXPECT_THAT(stored, ElementsAre(true, false, true, false));
}

TEST(CreateStatement, SaysWhetherThereAreRowIds) {
  EXPECT_FALSE(parse_create_table("CREATE TABLE t(a PRIMARY KEY) WITHOUT ROWID")->has_row_ids);
  EXPECT_TRUE(parse_create_table("CREATE TABLE t(a) STRICT")->has_row_ids);
}

TEST(CreateStatement, WhatIsDamagedIsNone) {
  for (const char* sql :
       {"", "CREATE", "CREATE TABLE t", "CREATE TABLE t(", "CREATE TABLE t(a", "CREATE TABLE t(a,)",
        "CREATE TABLE t(a, 'b)", "CREATE VIEW v AS SELECT 1", "CREATE TABLE t()"}) {
    EXPECT_FALSE(parse_create_table(sql)) << sql;
  }
}

}  // namespace
}  // namespace kitbag::sqlite3
