#include "storage/sqlite3/pages/record.h"

#include <gtest/gtest.h>

#include <string>

namespace kitbag::sqlite3 {
namespace {

using Kind = Column::Kind;

std::vector<std::byte> bytes(std::initializer_list<int> numbers) {
  std::vector<std::byte> all;
  for (int number : numbers) all.push_back(static_cast<std::byte>(number));
  return all;
}

TEST(Varint, IsOneToNineBytes) {
  auto read = [](std::vector<std::byte> from) {
    std::size_t at = 0;
    auto value = take_varint(from, at);
    EXPECT_EQ(at, from.size());
    return value;
  };
  EXPECT_EQ(read(bytes({0})), 0U);
  EXPECT_EQ(read(bytes({0x7f})), 127U);
  EXPECT_EQ(read(bytes({0x81, 0x00})), 128U);
  EXPECT_EQ(read(bytes({0x81, 0x80, 0x00})), 16'384U);
  EXPECT_EQ(read(bytes({0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff})), UINT64_MAX);
  EXPECT_EQ(read(bytes({0x80, 0x80})), std::nullopt);
}

TEST(Signed, HasEverySize) {
  EXPECT_EQ(load_signed(bytes({})), 0);
  EXPECT_EQ(load_signed(bytes({0x80})), -128);
  EXPECT_EQ(load_signed(bytes({0x7f, 0xff})), 32'767);
  EXPECT_EQ(load_signed(bytes({0xff, 0xff, 0xfe})), -2);
  EXPECT_EQ(load_signed(bytes({0x80, 0, 0, 0, 0, 0, 0, 0})), INT64_MIN);
}

TEST(Record, ColumnsAreWhatTheirTypesSay) {
  // NULL, 0, 1, int8 -2, int16 300, text "ab", blob of 3.
  auto record = bytes({8, 0, 8, 9, 1, 2, 17, 18, 0xfe, 1, 44, 'a', 'b', 1, 2, 3});
  std::vector<Column> columns;
  ASSERT_TRUE(parse_record(record, record.size(), columns));
  ASSERT_EQ(columns.size(), 7U);
  EXPECT_EQ(columns[0].kind, Kind::null);
  EXPECT_EQ(columns[1].integer, 0);
  EXPECT_EQ(columns[2].integer, 1);
  EXPECT_EQ(columns[3].integer, -2);
  EXPECT_EQ(columns[4].integer, 300);
  EXPECT_EQ(columns[5].kind, Kind::text);
  EXPECT_EQ(columns[5].offset, 11U);
  EXPECT_EQ(columns[6].kind, Kind::blob);
  EXPECT_EQ(columns[6].size, 3U);
}

TEST(Record, ThatContradictsItselfIsNone) {
  std::vector<Column> columns;
  EXPECT_FALSE(parse_record({}, 0, columns));
  EXPECT_FALSE(parse_record(bytes({9, 0}), 2, columns)) << "a head beyond the record";
  EXPECT_FALSE(parse_record(bytes({2, 1}), 2, columns)) << "a column beyond the record";
  EXPECT_FALSE(parse_record(bytes({2, 0, 7}), 3, columns)) << "bytes of no column";
  auto huge = bytes({10, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff});
  EXPECT_FALSE(parse_record(huge, huge.size(), columns));
}

}  // namespace
}  // namespace kitbag::sqlite3
