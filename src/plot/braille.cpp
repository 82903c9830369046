#include "plot/braille.h"

#include <algorithm>
#include <cmath>

#include "base/utf8.h"

// A character of braille has two columns and four rows of dots, each a bit of its number behind
// U+2800. Braille had six dots first, so those of the fourth row have the highest bits:
//
//   0x01 0x08
//   0x02 0x10
//   0x04 0x20
//   0x40 0x80
//
// A line is cut to the canvas before it is drawn dot by dot. Ends of lines may lie ten canvases
// away (strokes.cpp), and each dot on the way there would be a step of the loop.

namespace kitbag {
namespace {

constexpr char32_t kFirstBraille = 0x2800;
/// The bit of each dot, by row and column.
constexpr std::uint8_t kDots[4][2] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};

/// The part of a line from `a` to `b` that lies from 0 to `end`, as shares of its length; nothing
/// if `begin` is behind `end`.
/// The way of Liang and Barsky: each axis narrows the part, and no end is moved before both are
/// known.
struct Part {
  double begin = 0;
  double end = 1;

  void cut(double a, double b, double most) {
    double length = b - a;
    // Parallel to this axis, the line is outside everywhere or nowhere.
    if (length == 0) {
      if (a < 0 || a > most) end = -1;
      return;
    }
    double at_zero = -a / length;
    double at_most = (most - a) / length;
    begin = std::max(begin, std::min(at_zero, at_most));
    end = std::min(end, std::max(at_zero, at_most));
  }
};

}  // namespace

BrailleCanvas::BrailleCanvas(std::size_t columns, std::size_t rows)
    : columns_(columns), rows_(rows), cells_(columns * rows) {}

void BrailleCanvas::draw(const Line& line, std::size_t curve) {
  if (line.empty()) return;
  // Dots are at whole numbers, and have half a dot around them.
  // A hundredth less, so that lround() cannot take what is left to a dot outside.
  double right = static_cast<double>(columns_ * kDotColumns) - 0.51;
  double bottom = static_cast<double>(rows_ * kDotRows) - 0.51;
  Spot before = line.front();
  for (const Spot& spot : line) {
    Part part;
    part.cut(before.x + 0.49, spot.x + 0.49, right + 0.49);
    part.cut(before.y + 0.49, spot.y + 0.49, bottom + 0.49);
    if (part.begin <= part.end) {
      auto at = [&](double share) {
        return Spot{before.x + (spot.x - before.x) * share, before.y + (spot.y - before.y) * share};
      };
      Spot from = at(part.begin);
      Spot to = at(part.end);
      double steps = std::ceil(std::max(std::abs(to.x - from.x), std::abs(to.y - from.y)));
      for (double i = 0; i <= steps; ++i) {
        double share = steps == 0 ? 0 : i / steps;
        set(from.x + (to.x - from.x) * share, from.y + (to.y - from.y) * share, curve);
      }
    }
    before = spot;
  }
}

void BrailleCanvas::set(double x, double y, std::size_t curve) {
  auto column = static_cast<std::size_t>(std::max(std::lround(x), 0L));
  auto row = static_cast<std::size_t>(std::max(std::lround(y), 0L));
  if (column >= columns_ * kDotColumns || row >= rows_ * kDotRows) return;
  Cell& cell = cells_[row / kDotRows * columns_ + column / kDotColumns];
  cell.dots |= kDots[row % kDotRows][column % kDotColumns];
  cell.curve = curve;
}

std::size_t BrailleCanvas::curve_at(std::size_t column, std::size_t row) const {
  return cells_[row * columns_ + column].curve;
}

std::string BrailleCanvas::text_at(std::size_t column, std::size_t row) const {
  std::uint8_t dots = cells_[row * columns_ + column].dots;
  if (dots == 0) return " ";
  std::string text;
  append_utf8(text, kFirstBraille + dots);
  return text;
}

}  // namespace kitbag
