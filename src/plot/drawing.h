#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "plot/strokes.h"

// What SVG and PNG are made of: lines and texts at their places. Who arranges a plot knows nothing
// of how it is stored.

namespace kitbag {

struct Color {
  std::uint8_t red = 0;
  std::uint8_t green = 0;
  std::uint8_t blue = 0;
};

struct Box {
  double x = 0;
  double y = 0;
  double width = 0;
  double height = 0;
};

/// Lines of one color, with round ends.
struct Strokes {
  std::vector<Line> lines;
  Color color;
  double width = 1;
  std::optional<Box> clip = {};  ///< nothing is drawn outside
  std::string name = {};         ///< what they are, for people who cannot see them
};

enum class Anchor : std::uint8_t { start, middle, end };

/// A text on a baseline, in valid UTF-8.
struct Label {
  Spot at;
  std::string text;
  double size = 12;  ///< of the letters, in pixels
  Color color;
  Anchor anchor = Anchor::start;  ///< which part of the text is at `at`
};

struct Drawing {
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  Color background = {};
  std::string title = {};        ///< what it is, for people who cannot see it
  std::string description = {};  ///< the same in more words
  std::vector<std::variant<Strokes, Label>> parts = {};  ///< later ones are drawn over earlier ones
};

}  // namespace kitbag
