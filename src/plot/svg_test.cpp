#include "plot/svg.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace kitbag {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Svg, EscapesTexts) {
  EXPECT_EQ(xml_text("a<b> & \"c\"\x01\x1b[31m"), "a&lt;b&gt; &amp; &quot;c&quot;[31m");
  Drawing drawing{.width = 10, .height = 20, .title = "<script>", .description = "a&b"};
  drawing.parts.emplace_back(Label{{1, 2}, "</text>", 12, {}, Anchor::end});
  std::string svg = svg_of(drawing);
  EXPECT_THAT(svg, HasSubstr("<title>&lt;script&gt;</title>"));
  EXPECT_THAT(svg, HasSubstr("<desc>a&amp;b</desc>"));
  EXPECT_THAT(svg, HasSubstr("text-anchor=\"end\">&lt;/text&gt;</text>"));
}

TEST(Svg, HasPathsWithOneDecimal) {
  Drawing drawing{.width = 10, .height = 20};
  drawing.parts.emplace_back(
      Strokes{{{{1, 2}, {3.04, -4.26}, {3.01, -4.3}, {5, 6}}, {{7, 8}}}, {255, 0, 16}, 1.5});
  EXPECT_THAT(svg_of(drawing), HasSubstr("stroke=\"#ff0010\" stroke-width=\"1.5\""));
  // What is at the same place is there once, and a single spot is a dot.
  EXPECT_THAT(svg_of(drawing), HasSubstr("d=\"M1 2L3 -4.3 5 6M7 8h0\"/>"));
}

TEST(Svg, CutsOffByAnElementWithoutAName) {
  Drawing drawing{.width = 10, .height = 20};
  drawing.parts.emplace_back(Strokes{{{{1, 2}, {3, 4}}}, {}, 1, Box{1, 2, 3, 4}, "curve"});
  std::string svg = svg_of(drawing);
  EXPECT_THAT(svg, HasSubstr("<svg x=\"1\" y=\"2\" width=\"3\" height=\"4\" viewBox=\"1 2 3 4\">"));
  EXPECT_THAT(svg, HasSubstr("<title>curve</title></path>\n</svg>\n</svg>\n"));
  EXPECT_THAT(svg, Not(HasSubstr("id=")));
}

}  // namespace
}  // namespace kitbag
