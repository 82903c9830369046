#include "kitbag/pieces.h"

#include <gmock/gmock.h>

#include <string>

namespace kitbag {
namespace {

std::string joined(PieceList& list) {
  std::string all;
  for (ByteView piece : list.pieces()) all += as_text(piece);
  return all;
}

TEST(PieceList, JoinsWhatIsCopiedAndKeepsWhereTheRestLies) {
  std::string large = "large";
  PieceList list;
  list.copy(as_bytes("a")).number(std::uint16_t{0x6362}).refer(as_bytes(large)).copy(as_bytes("z"));
  ASSERT_EQ(list.pieces().size(), 3U);
  EXPECT_EQ(as_text(list.pieces()[0]), "abc");
  EXPECT_EQ(list.pieces()[1].data(), as_bytes(large).data());
  EXPECT_EQ(joined(list), "abclargez");
  EXPECT_EQ(list.size(), 9U);
}

TEST(PieceList, AlignsFromTheOrigin) {
  PieceList list;
  list.copy(as_bytes("head")).copy(as_bytes("x")).align(4, 4).copy(as_bytes("y")).align(8, 4);
  EXPECT_EQ(joined(list), std::string("headx\0\0\0y\0\0\0", 12));
}

TEST(PieceList, IsClearedForTheNext) {
  PieceList list;
  list.copy(as_bytes("one")).refer(as_bytes("two"));
  list.clear();
  EXPECT_TRUE(list.pieces().empty());
  list.copy(as_bytes("three"));
  EXPECT_EQ(joined(list), "three");
}

}  // namespace
}  // namespace kitbag
