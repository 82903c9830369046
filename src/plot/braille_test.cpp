#include "plot/braille.h"

#include <gtest/gtest.h>

#include <cmath>

namespace kitbag {
namespace {

TEST(Braille, HasEightDotsInACell) {
  const char* const kSingle[4][2] = {{"⠁", "⠈"}, {"⠂", "⠐"}, {"⠄", "⠠"}, {"⡀", "⢀"}};
  for (int row = 0; row < 4; ++row) {
    for (int column = 0; column < 2; ++column) {
      BrailleCanvas canvas(1, 1);
      canvas.draw({{static_cast<double>(column), static_cast<double>(row)}}, 0);
      EXPECT_EQ(canvas.text_at(0, 0), kSingle[row][column]);
    }
  }
  BrailleCanvas canvas(1, 1);
  EXPECT_EQ(canvas.text_at(0, 0), " ");
  canvas.draw({{0, 0}, {0, 3}, {1, 3}, {1, 0}}, 0);
  EXPECT_EQ(canvas.text_at(0, 0), "⣿");
}

TEST(Braille, DrawsLinesWithoutHoles) {
  BrailleCanvas canvas(10, 2);
  canvas.draw({{0, 0}, {19, 7}}, 0);
  for (std::size_t column = 0; column < 10; ++column) {
    bool is_drawn = canvas.text_at(column, 0) != " " || canvas.text_at(column, 1) != " ";
    EXPECT_TRUE(is_drawn) << column;
  }
}

TEST(Braille, CellsAreOfTheCurveThatWasDrawnLast) {
  BrailleCanvas canvas(2, 1);
  canvas.draw({{0, 0}, {3, 0}}, 4);
  canvas.draw({{2, 3}, {3, 3}}, 7);
  EXPECT_EQ(canvas.curve_at(0, 0), 4U);
  EXPECT_EQ(canvas.curve_at(1, 0), 7U);
  EXPECT_EQ(canvas.text_at(1, 0), "⣉");
  EXPECT_EQ(BrailleCanvas(1, 1).curve_at(0, 0), BrailleCanvas::kNone);
}

TEST(Braille, CutsOffWhatIsOutside) {
  BrailleCanvas canvas(2, 2);
  canvas.draw({{-1e6, -1e6}, {1e6, 1e6}}, 0);  // through the first dots of all
  EXPECT_EQ(canvas.text_at(0, 0), "⠑");
  canvas.draw({{-100, 50}, {100, 50}}, 1);
  canvas.draw({{-5, 3}, {-5, 3}}, 1);
  EXPECT_EQ(canvas.text_at(1, 0), "⢄");
  EXPECT_EQ(canvas.curve_at(0, 1), BrailleCanvas::kNone);
  EXPECT_EQ(canvas.curve_at(1, 1), BrailleCanvas::kNone);
}

}  // namespace
}  // namespace kitbag
