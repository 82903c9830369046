#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "plot/strokes.h"

namespace kitbag {

/// Characters of braille, in which each cell has two columns and four rows of dots.
class BrailleCanvas {
 public:
  static constexpr std::size_t kDotColumns = 2;  ///< of a cell
  static constexpr std::size_t kDotRows = 4;     ///< of a cell
  static constexpr std::size_t kNone = SIZE_MAX;

  BrailleCanvas(std::size_t columns, std::size_t rows);

  /// Draws a line, in dots from the top left, as far as it is inside. Its cells are those of
  /// `curve` then.
  void draw(const Line& line, std::size_t curve);

  /// The curve that was drawn last in a cell; kNone: none.
  std::size_t curve_at(std::size_t column, std::size_t row) const;
  /// The character of a cell, in UTF-8; a space if it has no dots.
  std::string text_at(std::size_t column, std::size_t row) const;

 private:
  struct Cell {
    std::uint8_t dots = 0;
    std::size_t curve = kNone;
  };

  void set(double x, double y, std::size_t curve);

  std::size_t columns_;
  std::size_t rows_;
  std::vector<Cell> cells_;
};

}  // namespace kitbag
