#include "compress/xxh32.h"

#include <gtest/gtest.h>
#include <lz4frame.h>

#include <string>

#include "base/little_endian.h"

namespace kitbag {
namespace {

// What liblz4 says: the last four bytes of a frame.
std::uint32_t checksum_of_lz4(const std::string& text) {
  LZ4F_preferences_t preferences{};
  preferences.frameInfo.contentChecksumFlag = LZ4F_contentChecksumEnabled;
  std::string frame(LZ4F_compressFrameBound(text.size(), &preferences), '\0');
  frame.resize(
      LZ4F_compressFrame(frame.data(), frame.size(), text.data(), text.size(), &preferences));
  return load_le<std::uint32_t>(as_bytes(frame).last(4).data());
}

TEST(Xxh32, KnownValues) {
  EXPECT_EQ(xxh32({}), 0x02cc5d05U);
  EXPECT_EQ(xxh32(as_bytes("abc")), 0x32d153ffU);
  EXPECT_EQ(xxh32(as_bytes("Nobody inspects the spammish repetition")), 0xe2293b2fU);
}

TEST(Xxh32, EveryLengthAsLz4) {
  std::string text;
  for (int i = 0; i < 200; ++i) {
    ASSERT_EQ(xxh32(as_bytes(text)), checksum_of_lz4(text)) << i;
    text.push_back(static_cast<char>(i * 37 + 200));
  }
}

}  // namespace
}  // namespace kitbag
