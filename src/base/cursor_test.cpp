#include "base/cursor.h"

#include <gtest/gtest.h>

#include <array>

namespace kitbag {
namespace {

using namespace std::string_view_literals;

TEST(Cursor, ReadsNumbersLittleEndian) {
  Cursor cursor(as_bytes("\x01\x02\x03\x04\x05\x06\x07\x08\xff\xfe\xff"sv));
  EXPECT_EQ(cursor.number<std::uint64_t>(), 0x0807060504030201U);
  EXPECT_EQ(cursor.number<std::uint8_t>(), 0xffU);
  EXPECT_EQ(cursor.number<std::int16_t>(), -2);
  EXPECT_TRUE(cursor.at_end());
}

TEST(Cursor, AReadThatDoesNotFitLeavesThePosition) {
  Cursor cursor(as_bytes("abc"));
  EXPECT_EQ(cursor.number<std::uint32_t>(), std::nullopt);
  EXPECT_FALSE(cursor.bytes(4));
  EXPECT_FALSE(cursor.bytes(SIZE_MAX));
  EXPECT_EQ(cursor.position(), 0U);
  EXPECT_EQ(as_text(*cursor.bytes(3)), "abc");
  EXPECT_EQ(cursor.number<std::uint8_t>(), std::nullopt);
  EXPECT_EQ(cursor.left(), 0U);
}

TEST(Cursor, SizedBytes) {
  Cursor cursor(as_bytes("\x03\0\0\0abc\0\0\0\0"sv));
  EXPECT_EQ(as_text(cursor.sized_bytes().value()), "abc");
  EXPECT_TRUE(cursor.sized_bytes().value().empty());
  EXPECT_TRUE(cursor.at_end());
}

TEST(Cursor, SizedBytesThatLieLeaveThePosition) {
  Cursor cursor(
      as_bytes("\xff\xff\xff\xff"
               "abc"sv));
  EXPECT_FALSE(cursor.sized_bytes());
  EXPECT_EQ(cursor.position(), 0U);
  Cursor cut(as_bytes("\x01\0\0"sv));
  EXPECT_FALSE(cut.sized_bytes());
  EXPECT_EQ(cut.position(), 0U);
}

TEST(Cursor, NothingToRead) {
  Cursor cursor{ByteView()};
  EXPECT_TRUE(cursor.at_end());
  EXPECT_FALSE(cursor.number<std::uint8_t>());
  EXPECT_TRUE(cursor.bytes(0).has_value());
}

TEST(LittleEndian, StoresWhatItLoadsAtAnyAddress) {
  std::array<std::byte, 16> bytes{};
  std::byte* end = store_le<std::uint32_t>(bytes.data() + 1, 0x01020304);
  end = store_le<std::int64_t>(end, -5);
  EXPECT_EQ(end, bytes.data() + 13);
  EXPECT_EQ(bytes[1], std::byte{4});
  EXPECT_EQ(load_le<std::uint32_t>(bytes.data() + 1), 0x01020304U);
  EXPECT_EQ(load_le<std::int64_t>(bytes.data() + 5), -5);
}

}  // namespace
}  // namespace kitbag
