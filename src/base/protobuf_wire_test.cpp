#include "base/protobuf_wire.h"

#include <gtest/gtest.h>

#include <array>
#include <string>

#include "kitbag/bytes.h"

namespace kitbag::protobuf {
namespace {

using namespace std::string_view_literals;

/// How many bytes the value behind `tag` takes; -1: it is damaged.
std::ptrdiff_t skipped(std::uint64_t tag, std::string_view text, std::size_t depth = 0) {
  const std::byte* begin = as_bytes(text).data();
  const std::byte* at = begin;
  return skip_value(at, begin + text.size(), tag, depth) ? at - begin : -1;
}

TEST(ProtobufWire, NumbersComeBack) {
  std::uint64_t value = 0;
  for (std::uint64_t number : {0UL, 1UL, 127UL, 128UL, 16383UL, 16384UL, 1UL << 63, UINT64_MAX}) {
    std::array<std::byte, 10> bytes{};
    const std::byte* end = store_varint(bytes.data(), number);
    EXPECT_EQ(static_cast<std::size_t>(end - bytes.data()), varint_bytes(number));
    const std::byte* at = bytes.data();
    EXPECT_TRUE(load_varint(at, end, value));
    EXPECT_EQ(value, number);
    EXPECT_EQ(at, end);
    at = bytes.data();
    EXPECT_FALSE(load_varint(at, end - 1, value));
  }
  std::string eleven(10, '\x80');
  eleven += '\0';
  const std::byte* at = as_bytes(eleven).data();
  EXPECT_FALSE(load_varint(at, at + eleven.size(), value));
}

TEST(ProtobufWire, ValuesAreSkippedByTheirWireType) {
  EXPECT_EQ(skipped(8 | kVarint, "\x80\x01x"sv), 2);
  EXPECT_EQ(skipped(8 | kFixed32, "12345"), 4);
  EXPECT_EQ(skipped(8 | kFixed64, "123456789"), 8);
  EXPECT_EQ(skipped(8 | kSized, "\x02xyz"sv), 3);
  EXPECT_EQ(skipped(8 | kBeginGroup, "\x10\x01\x0cx"sv), 3);
  EXPECT_EQ(skipped(8 | kFixed32, "123"), -1);
  EXPECT_EQ(skipped(8 | kSized, "\x04xyz"sv), -1);
  EXPECT_EQ(skipped(8 | kBeginGroup, "\x10\x01\x14"sv), -1) << "the end of another group";
  EXPECT_EQ(skipped(8 | kBeginGroup, "\x10\x01"sv), -1);
  EXPECT_EQ(skipped(8 | kEndGroup, ""), -1);
  EXPECT_EQ(skipped(8 | 6, "xxxx"), -1);
}

TEST(ProtobufWire, GroupsAreNestedUpToALimit) {
  auto nested = [](std::size_t count) {
    return std::string(count - 1, '\x0b') + std::string(count, '\x0c');
  };
  EXPECT_EQ(skipped(8 | kBeginGroup, nested(kMaxDepth + 1)), 201);
  EXPECT_EQ(skipped(8 | kBeginGroup, nested(kMaxDepth + 2)), -1);
  EXPECT_EQ(skipped(8 | kBeginGroup, nested(2), kMaxDepth), -1);
  EXPECT_EQ(skipped(8 | kBeginGroup, std::string(1 << 20, '\x0b')), -1);
}

}  // namespace
}  // namespace kitbag::protobuf
