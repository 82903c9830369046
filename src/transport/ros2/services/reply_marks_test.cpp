#include "transport/ros2/services/reply_marks.h"

#include <gmock/gmock.h>

#include <cstring>

namespace kitbag::ros2 {
namespace {

using Bytes = std::vector<std::byte>;

class Ros2ReplyMarks : public testing::Test {
 protected:
  Ros2ReplyMarks() {
    for (std::size_t i = 0; i < mark_.writer.size(); ++i) {
      mark_.writer[i] = static_cast<std::byte>(0x10 + i);
      mark_.client[i] = static_cast<std::byte>(0xc0 + i);
    }
    mark_.number = 3;
    mark_.request_number = 0x100000007;
    add({'R', 'T', 'P', 'S', 2, 1, 1, 0x10});
    packet_.insert(packet_.end(), mark_.writer.begin(), mark_.writer.begin() + 12);
  }

  void add(std::initializer_list<int> bytes) {
    for (int byte : bytes) packet_.push_back(static_cast<std::byte>(byte));
  }
  /// Of the mark's writer, with that number; then `rest`.
  void add_data(int flags, int number, std::initializer_list<int> rest, bool is_last = false) {
    auto length = is_last ? 0 : static_cast<int>(20 + rest.size());
    add({0x15, flags, length, 0, 0, 0, 16, 0, 0, 0, 0, 0});
    packet_.insert(packet_.end(), mark_.writer.begin() + 12, mark_.writer.end());
    add({0, 0, 0, 0, number, 0, 0, 0});
    add(rest);
  }
  static std::string hex(ByteView bytes) {
    std::string text;
    for (std::byte byte : bytes) {
      text += "0123456789abcdef"[std::to_integer<unsigned>(byte) >> 4];
      text += "0123456789abcdef"[std::to_integer<unsigned>(byte) & 15];
    }
    return text;
  }

  static constexpr const char* kIdentity = "c0c1c2c3c4c5c6c7c8c9cacbcccdcecf0100000007000000";
  ReplyMark mark_;
  Bytes packet_;
};

TEST_F(Ros2ReplyMarks, TheReplyGetsWhatItBelongsTo) {
  add({0x09, 1, 8, 0, 1, 2, 3, 4, 5, 6, 7, 8});  // INFO_TS
  std::size_t begin = packet_.size();
  add_data(0x05, 3, {0, 1, 0, 0, 9});
  add({0x07, 1, 4, 0, 1, 1, 1, 1});  // what follows stays
  auto marked = with_marks(packet_, {mark_});
  ASSERT_TRUE(marked);
  constexpr std::size_t kAdded = 2 * 28 + 4;
  ASSERT_EQ(marked->size(), packet_.size() + kAdded);
  EXPECT_EQ(hex(ByteView(*marked).first(begin)), hex(ByteView(packet_).first(begin)));
  EXPECT_EQ(std::to_integer<unsigned>((*marked)[begin + 1]), 0x07U);
  EXPECT_EQ(std::to_integer<unsigned>((*marked)[begin + 2]), 25U + kAdded);
  EXPECT_EQ(hex(ByteView(*marked).subspan(begin + 24, kAdded)),
            std::string("83001800") + kIdentity + "0f801800" + kIdentity + "01000000");
  EXPECT_EQ(hex(ByteView(*marked).subspan(begin + 24 + kAdded)),
            hex(ByteView(packet_).subspan(begin + 24)));
}

TEST_F(Ros2ReplyMarks, InlineQosThatThereIsStays) {
  add_data(0x07, 3, {0x70, 0, 4, 0, 1, 2, 3, 4, 1, 0, 0, 0, 0, 1, 0, 0}, true);
  auto marked = with_marks(packet_, {mark_});
  ASSERT_TRUE(marked);
  EXPECT_EQ(marked->size(), packet_.size() + 2 * 28);
  EXPECT_EQ(std::to_integer<unsigned>((*marked)[22]), 0U);  // it goes to the end
  EXPECT_EQ(hex(ByteView(*marked).last(16)), hex(ByteView(packet_).last(16)));
}

TEST_F(Ros2ReplyMarks, NothingElseIsTouched) {
  add_data(0x05, 4, {0, 1, 0, 0});
  EXPECT_FALSE(with_marks(packet_, {mark_})) << "another number";
  mark_.number = 4;
  EXPECT_TRUE(with_marks(packet_, {mark_}));
  EXPECT_FALSE(with_marks(packet_, {}));
  mark_.writer[0] = std::byte{0};
  EXPECT_FALSE(with_marks(packet_, {mark_})) << "another participant";
}

TEST_F(Ros2ReplyMarks, WhatIsNoMessageIsLeftAlone) {
  EXPECT_FALSE(with_marks({}, {mark_}));
  EXPECT_FALSE(with_marks(ByteView(packet_).first(10), {mark_}));
  add_data(0x05, 3, {0, 1, 0, 0});
  for (std::size_t size = 20; size < packet_.size(); ++size) {
    EXPECT_FALSE(with_marks(ByteView(packet_).first(size), {mark_})) << size;
  }
  Bytes large = packet_;
  large[22] = large[23] = std::byte{0};
  large.resize(65'500);
  EXPECT_FALSE(with_marks(large, {mark_})) << "no room in a datagram";
}

}  // namespace
}  // namespace kitbag::ros2
