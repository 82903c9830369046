#include "base/crc32.h"

#include <gtest/gtest.h>

#include <string>

namespace kitbag {
namespace {

TEST(Crc32, IsThatOfTheStandard) {
  EXPECT_EQ(crc32({}), 0U);
  EXPECT_EQ(crc32(as_bytes("123456789")), 0xCBF43926U);
}

TEST(Crc32, NothingLeavesItAsItIs) {
  EXPECT_EQ(crc32({}, 0xCBF43926U), 0xCBF43926U);
}

TEST(Crc32, GoesOnFromWhatStandsInFrontWhateverTheSizes) {
  std::string text;
  for (int i = 0; i < 20'000; ++i) text += static_cast<char>(i * 7 % 251);
  std::uint32_t one_by_one = 0;
  for (char c : text) one_by_one = crc32(as_bytes(std::string_view(&c, 1)), one_by_one);
  std::uint32_t whole = crc32(as_bytes(text));
  EXPECT_EQ(whole, one_by_one);
  for (std::size_t cut :
       {std::size_t{0}, std::size_t{100}, std::size_t{4096}, std::size_t{19'999}}) {
    std::string_view view = text;
    EXPECT_EQ(crc32(as_bytes(view.substr(cut)), crc32(as_bytes(view.substr(0, cut)))), whole);
  }
}

TEST(Crc32, SumsOfPartsAreJoined) {
  std::string text(100'000, 'x');
  for (std::size_t i = 0; i < text.size(); ++i) text[i] = static_cast<char>(i * i);
  std::string_view view = text;
  for (std::size_t cut : {std::size_t{0}, std::size_t{1}, std::size_t{70'001}, text.size()}) {
    std::uint32_t before = crc32(as_bytes(view.substr(0, cut)));
    std::uint32_t behind = crc32(as_bytes(view.substr(cut)));
    EXPECT_EQ(crc32_joined(before, behind, text.size() - cut), crc32(as_bytes(view)));
  }
}

}  // namespace
}  // namespace kitbag
