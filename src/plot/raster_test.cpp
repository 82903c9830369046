#include "plot/raster.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>

namespace kitbag {
namespace {

class RasterTest : public ::testing::Test {
 protected:
  static int red_at(const Picture& picture, std::size_t x, std::size_t y) {
    return std::to_integer<int>(picture.pixels[(y * picture.width + x) * 3]);
  }
  /// The pixels that are not white.
  static std::size_t drawn(const Picture& picture) {
    std::size_t count = 0;
    for (std::size_t y = 0; y < picture.height; ++y) {
      for (std::size_t x = 0; x < picture.width; ++x)
        count += red_at(picture, x, y) < 255 ? 1U : 0U;
    }
    return count;
  }

  Font font_;
  Drawing drawing_{.width = 100, .height = 50, .background = {255, 255, 255}};
};

TEST_F(RasterTest, DrawsLinesWhereTheyAre) {
  drawing_.parts.emplace_back(Strokes{{{{10, 5.5}, {90, 5.5}, {90, 45}}}, {0, 0, 0}, 1});
  Picture picture = raster_of(drawing_, font_);
  ASSERT_EQ(picture.pixels.size(), 100U * 50 * 3);
  EXPECT_EQ(red_at(picture, 50, 5), 0);
  EXPECT_EQ(red_at(picture, 50, 4), 255);
  EXPECT_EQ(red_at(picture, 50, 6), 255);
  EXPECT_NEAR(red_at(picture, 90, 30), 128, 2);  // between two pixels
  EXPECT_EQ(red_at(picture, 70, 30), 255);
}

TEST_F(RasterTest, DrawsLongLinesInPiecesWithoutHoles) {
  Line line;
  for (int i = 0; i <= 10'000; ++i) line.push_back({i / 100.0, 20.5});
  drawing_.parts.emplace_back(Strokes{{line}, {0, 0, 0}, 1});
  Picture picture = raster_of(drawing_, font_);
  for (std::size_t x = 0; x < 100; ++x) EXPECT_LE(red_at(picture, x, 20), 20) << x;
}

TEST_F(RasterTest, ASingleSpotIsADot) {
  drawing_.parts.emplace_back(Strokes{{{{20.5, 20.5}}}, {0, 0, 0}, 3});
  Picture picture = raster_of(drawing_, font_);
  EXPECT_EQ(red_at(picture, 20, 20), 0);
  EXPECT_LE(drawn(picture), 16U);
}

TEST_F(RasterTest, CutsOffWhatIsOutside) {
  drawing_.parts.emplace_back(Strokes{{{{-1e5, 20.5}, {1e5, 20.5}}, {{30.5, -1e5}, {30.5, 1e5}}},
                                      {0, 0, 0},
                                      1,
                                      Box{10, 10, 80, 30}});
  Picture picture = raster_of(drawing_, font_);
  EXPECT_EQ(red_at(picture, 10, 20), 0);
  EXPECT_EQ(red_at(picture, 9, 20), 255);
  EXPECT_EQ(red_at(picture, 89, 20), 0);
  EXPECT_EQ(red_at(picture, 90, 20), 255);
  EXPECT_EQ(red_at(picture, 30, 10), 0);
  EXPECT_EQ(red_at(picture, 30, 9), 255);
  EXPECT_EQ(red_at(picture, 30, 40), 255);
}

TEST_F(RasterTest, WritesTextAtItsAnchor) {
  auto columns = [&](Anchor anchor) {
    Drawing drawing = drawing_;
    drawing.parts.emplace_back(Label{{50, 30}, "Hgx", 12, {0, 0, 0}, anchor});
    Picture picture = raster_of(drawing, font_);
    std::size_t first = 100;
    std::size_t last = 0;
    for (std::size_t x = 0; x < 100; ++x) {
      for (std::size_t y = 0; y < 50; ++y) {
        if (red_at(picture, x, y) == 255) continue;
        first = std::min(first, x);
        last = std::max(last, x);
      }
    }
    return std::pair(first, last);
  };
  double width = font_.width("Hgx", 12);
  EXPECT_NEAR(width, 24, 3);
  auto near = [](std::size_t value, double expected) {
    EXPECT_NEAR(static_cast<double>(value), expected, 2);
  };
  near(columns(Anchor::start).first, 50);
  near(columns(Anchor::start).second, 50 + width);
  near(columns(Anchor::middle).first, 50 - width / 2);
  near(columns(Anchor::end).second, 50);
}

TEST_F(RasterTest, TextsAreCutToAWidth) {
  EXPECT_EQ(font_.cut("/odom.x", 12, 1000), "/odom.x");
  std::string cut = font_.cut("/a/very/long/name/of/a/topic", 12, 80);
  EXPECT_TRUE(cut.ends_with("…"));
  EXPECT_LE(font_.width(cut, 12), 80);
  EXPECT_GT(font_.width(cut, 12), 60);
}

}  // namespace
}  // namespace kitbag
