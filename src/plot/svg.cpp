#include "plot/svg.h"

#include <fmt/format.h>

#include <cmath>
#include <type_traits>

// Places have one decimal, so that a curve of a thousand columns takes some tens of kilobytes. What
// is outside of a panel is cut off by an svg element around the curve: it needs no name, which
// could collide with one of another plot on the same page.

namespace kitbag {
namespace {

constexpr const char* kFonts = "DejaVu Sans, Verdana, Arial, sans-serif";

std::string color_text(const Color& color) {
  return fmt::format("#{:02x}{:02x}{:02x}", color.red, color.green, color.blue);
}

/// A number with at most one decimal.
void put(double value, std::string& text) {
  auto tenths = std::llround(value * 10);
  if (tenths < 0) text += '-';
  tenths = std::abs(tenths);
  text += fmt::format("{}", tenths / 10);
  if (tenths % 10 != 0) text += fmt::format(".{}", tenths % 10);
}

std::string number(double value) {
  std::string text;
  put(value, text);
  return text;
}

void put(const Line& line, std::string& text) {
  const Spot* before = nullptr;
  std::string last;
  for (const Spot& spot : line) {
    std::string next = number(spot.x);
    next += ' ';
    put(spot.y, next);
    // Spots that are the same in tenths of a pixel add nothing.
    if (before && next == last) continue;
    // SVG repeats the last command, so one L stands for all lines of the path.
    text += before ? (before == &line.front() ? "L" : " ") : "M";
    text += next;
    before = &spot;
    last = std::move(next);
  }
  // A single spot is a dot: a line of no length with round ends.
  if (before == &line.front()) text += "h0";
}

void put(const Strokes& strokes, std::string& text) {
  if (strokes.clip) {
    const Box& box = *strokes.clip;
    std::string x = number(box.x);
    std::string y = number(box.y);
    std::string width = number(box.width);
    std::string height = number(box.height);
    text += fmt::format(
        "<svg x=\"{0}\" y=\"{1}\" width=\"{2}\" height=\"{3}\" "
        "viewBox=\"{0} {1} {2} {3}\">\n",
        x, y, width, height);
  }
  text += fmt::format("<path fill=\"none\" stroke=\"{}\" stroke-width=\"{}\" ",
                      color_text(strokes.color), number(strokes.width));
  text += "stroke-linecap=\"round\" stroke-linejoin=\"round\" d=\"";
  for (const Line& line : strokes.lines) put(line, text);
  text += '"';
  if (strokes.name.empty()) {
    text += "/>\n";
  } else {
    text += fmt::format("><title>{}</title></path>\n", xml_text(strokes.name));
  }
  if (strokes.clip) text += "</svg>\n";
}

void put(const Label& label, std::string& text) {
  constexpr const char* kAnchors[] = {"start", "middle", "end"};
  text += fmt::format(
      "<text x=\"{}\" y=\"{}\" font-size=\"{}\" fill=\"{}\" text-anchor=\"{}\">{}"
      "</text>\n",
      number(label.at.x), number(label.at.y), number(label.size), color_text(label.color),
      kAnchors[static_cast<std::size_t>(label.anchor)], xml_text(label.text));
}

}  // namespace

std::string xml_text(std::string_view text) {
  std::string safe;
  for (char c : text) {
    if (c == '&') {
      safe += "&amp;";
    } else if (c == '<') {
      safe += "&lt;";
    } else if (c == '>') {
      safe += "&gt;";
    } else if (c == '"') {
      safe += "&quot;";
    } else if (static_cast<unsigned char>(c) >= 0x20 || c == '\n' || c == '\t') {
      safe += c;
    }
  }
  return safe;
}

std::string svg_of(const Drawing& drawing) {
  std::string text = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" "
      "viewBox=\"0 0 {0} {1}\" role=\"img\" font-family=\"{2}\">\n<title>{3}</title>\n"
      "<desc>{4}</desc>\n<rect width=\"{0}\" height=\"{1}\" fill=\"{5}\"/>\n",
      drawing.width, drawing.height, kFonts, xml_text(drawing.title), xml_text(drawing.description),
      color_text(drawing.background));
  for (const auto& part : drawing.parts) {
    std::visit([&](const auto& each) { put(each, text); }, part);
  }
  return text + "</svg>\n";
}

}  // namespace kitbag
