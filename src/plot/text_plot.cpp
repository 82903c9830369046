#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>
#include <vector>

#include "base/utf8.h"
#include "kitbag/error.h"
#include "kitbag/plot.h"
#include "plot/braille.h"
#include "plot/panels.h"

// A plot in characters, from top to bottom as in layout.cpp. The axes are box-drawing characters,
// the curves braille, whose dots are about as wide as they are high.
//
// Without colors, curves in one panel could not be told apart, so each has a panel of its own as
// long as there are rows enough. Two curves share a cell with all their dots, and the color is that
// of the later one: a terminal has one color for a character.

namespace kitbag {
namespace {

constexpr std::size_t kRowsOfTick = 4;
constexpr std::size_t kLeastRows = 2;      // of a panel
constexpr std::size_t kRowsBelow = 3;      // the axis, its labels, what it shows
constexpr std::size_t kSpaceOfLabels = 2;  // between labels of the horizontal axis
/// Colors of curves, as in "\x1b[36m".
constexpr int kColors[] = {36, 33, 35, 32, 34, 31, 96, 93, 95, 92, 94, 91, 37, 90, 97, 39};

/// Columns that `text` takes at most: from Hangul on, letters may be as wide as two.
/// The library has no terminal and no locale to ask; a width that is too large costs some columns,
/// and one that is too small would break the line.
std::size_t width_of(std::string_view text) {
  std::size_t columns = 0;
  while (!text.empty()) {
    Utf8Character next = decode_utf8(text);
    bool is_wide = next.value >= 0x2E80 || (next.value >= 0x1100 && next.value < 0x1160);
    columns += is_wide ? 2 : 1;
    text.remove_prefix(std::max<std::size_t>(next.length, 1));
  }
  return columns;
}

/// `text`, or as much of it as fits, with an ellipsis behind it.
std::string cut(std::string_view text, std::size_t columns) {
  if (width_of(text) <= columns) return std::string(text);
  std::size_t end = 0;
  std::size_t taken = 1;
  while (end < text.size()) {
    std::size_t length = std::max<std::size_t>(decode_utf8(text.substr(end)).length, 1);
    taken += width_of(text.substr(end, length));
    if (taken > columns) break;
    end += length;
  }
  return std::string(text.substr(0, end)) + "…";
}

class TextPlot {
 public:
  TextPlot(const Plot& plot, const PlotStyle& style)
      : plot_(plot), style_(style), rows_(style.height - kRowsBelow) {
    title_ = cut(shown_title(style), style.width);
    if (!title_.empty()) --rows_;
    std::size_t curves = std::max<std::size_t>(plot.curves.size(), 1);
    bool has_room = rows_ / curves >= kLeastRows + 1;
    is_stacked_ = (style.is_stacked || !style.has_colors) && has_room;
    if (style.is_stacked && !has_room) {
      throw Error(ErrorCode::invalid, fmt::format("{} curves do not fit into {} lines",
                                                  plot.curves.size(), style.height));
    }
    panels_ = panels_of(plot, style, is_stacked_);
  }

  std::string draw() {
    if (!title_.empty()) put_line(std::string((style_.width - width_of(title_)) / 2, ' ') + title_);
    std::vector<std::string> legend;
    if (!is_stacked_) legend = legend_lines();
    for (const std::string& each : legend) put_line(each);
    std::size_t panels = panels_.panels.size();
    std::size_t rows = rows_ - legend.size() - (is_stacked_ ? panels : 0);
    place_axes(rows / panels);
    for (std::size_t i = 0; i < panels; ++i) {
      if (is_stacked_ && !panels_.panels[i].curves.empty()) {
        put_line(entry(panels_.panels[i].curves[0]));
      }
      // The first ones have what does not divide evenly.
      draw_panel(i, rows / panels + (i < rows % panels ? 1 : 0));
    }
    draw_x_axis();
    return std::move(text_);
  }

 private:
  void put_line(std::string_view line) {
    text_ += line.substr(0, line.find_last_not_of(' ') + 1);
    text_ += '\n';
  }

  std::string colored(std::string_view text, std::size_t curve) const {
    if (!style_.has_colors) return std::string(text);
    return fmt::format("\x1b[{}m{}\x1b[0m", kColors[curve % std::size(kColors)], text);
  }

  /// A curve in the legend.
  std::string entry(std::size_t curve) const {
    std::string name = cut(shown_name(plot_.curves[curve]), style_.width - 4);
    return " " + colored("──", curve) + " " + name;
  }
  std::size_t entry_width(std::size_t curve) const {
    return 4 + width_of(cut(shown_name(plot_.curves[curve]), style_.width - 4));
  }

  /// At most half of the lines; the names that do not fit are counted.
  std::vector<std::string> legend_lines() const {
    std::vector<std::string> lines;
    std::size_t column = 0;
    std::size_t first = 0;  // of the last line
    std::size_t most = std::max<std::size_t>(rows_ / 2, 1);
    for (std::size_t i = 0; i < plot_.curves.size(); ++i) {
      std::size_t width = entry_width(i);
      if (lines.empty() || column + width > style_.width) {
        if (lines.size() == most) {
          lines.back() = fmt::format(" and {} more", plot_.curves.size() - first);
          break;
        }
        lines.emplace_back();
        first = i;
        column = 0;
      }
      lines.back() += entry(i);
      column += width;
    }
    return lines;
  }

  void place_axes(std::size_t rows) {
    labels_ = 0;
    auto find = [&] {
      for (const Panel& panel : panels_.panels) {
        for (const Tick& tick : ticks_of(panel, rows)) {
          labels_ = std::max(labels_, width_of(tick.label));
        }
      }
      labels_ = std::min<std::size_t>(labels_, style_.width / 3);
      columns_ = style_.width - labels_ - 2;
    };
    find();
    if (!style_.has_equal_scales) return;
    for (int i = 0; i < 2; ++i) {  // labels of other scales may be wider
      auto width = static_cast<double>(columns_ * BrailleCanvas::kDotColumns - 1);
      make_scales_equal(panels_, width, static_cast<double>(rows * BrailleCanvas::kDotRows - 1));
      find();
    }
  }

  /// One label alone does not tell the scale, so few rows have as many as it takes to show two.
  std::vector<Tick> ticks_of(const Panel& panel, std::size_t rows) const {
    std::size_t most = std::clamp<std::size_t>(rows / kRowsOfTick + 1, 2, kMostTicks);
    std::vector<Tick> ticks = y_ticks(plot_, panel, most);
    while (ticks.size() < 2 && most < rows) ticks = y_ticks(plot_, panel, ++most);
    return ticks;
  }

  Scale x_scale() const {
    return {panels_.x, 0, static_cast<double>(columns_ * BrailleCanvas::kDotColumns - 1)};
  }

  void draw_panel(std::size_t index, std::size_t rows) {
    const Panel& panel = panels_.panels[index];
    Scale y{panel.y, static_cast<double>(rows * BrailleCanvas::kDotRows - 1), 0};
    BrailleCanvas canvas(columns_, rows);
    for (std::size_t curve : panel.curves) {
      bool is_path = !plot_.against.empty();
      for (const Line& line : lines_of(plot_.curves[curve], x_scale(), y, is_path)) {
        canvas.draw(line, curve);
      }
    }
    std::vector<std::string> labels(rows);
    for (const Tick& tick : ticks_of(panel, rows)) {
      auto dot = std::clamp(std::lround(y.at(tick.at)), 0L, std::lround(y.begin));
      labels[static_cast<std::size_t>(dot) / BrailleCanvas::kDotRows] = cut(tick.label, labels_);
    }
    for (std::size_t row = 0; row < rows; ++row) {
      std::string line(labels_ - std::min(width_of(labels[row]), labels_), ' ');
      line += labels[row] + (labels[row].empty() ? " │" : " ┤") + row_text(canvas, row);
      put_line(line);
    }
  }

  /// Cells with the same color after one another have one escape sequence.
  std::string row_text(const BrailleCanvas& canvas, std::size_t row) const {
    std::string text;
    for (std::size_t column = 0; column < columns_;) {
      std::size_t curve = canvas.curve_at(column, row);
      std::string run;
      for (; column < columns_ && canvas.curve_at(column, row) == curve; ++column) {
        run += canvas.text_at(column, row);
      }
      text += curve == BrailleCanvas::kNone ? run : colored(run, curve);
    }
    return text;
  }

  /// The column of a tick.
  std::size_t column_of(const Tick& tick) const {
    double dot = std::clamp(x_scale().at(tick.at), 0.0, x_scale().end);
    return static_cast<std::size_t>(std::lround(dot)) / BrailleCanvas::kDotColumns;
  }

  /// Where the label of a tick begins, within the whole line.
  std::size_t begin_of(const Tick& tick) const {
    std::size_t width = width_of(tick.label);
    std::size_t middle = labels_ + 2 + column_of(tick);
    std::size_t begin = middle - std::min(middle, width / 2);
    return std::min<std::size_t>(begin, style_.width - std::min<std::size_t>(width, style_.width));
  }

  bool have_room(const std::vector<Tick>& ticks) const {
    std::size_t end = 0;
    for (const Tick& tick : ticks) {
      std::size_t begin = begin_of(tick);
      if (&tick != &ticks.front() && begin < end + kSpaceOfLabels) return false;
      end = begin + width_of(tick.label);
    }
    return true;
  }

  void draw_x_axis() {
    std::vector<Tick> ticks;
    for (std::size_t most = kMostTicks; most > 0; --most) {
      ticks = x_ticks(plot_, style_, panels_.x, most);
      if (have_room(ticks)) break;
    }
    if (!have_room(ticks)) ticks.resize(1);
    std::vector<bool> has_tick(columns_);
    std::string labels;
    for (const Tick& tick : ticks) {
      has_tick[column_of(tick)] = true;
      labels.resize(begin_of(tick), ' ');
      labels += tick.label;
    }
    std::string axis = std::string(labels_ + 1, ' ') + "└";
    for (std::size_t column = 0; column < columns_; ++column) axis += has_tick[column] ? "┬" : "─";
    put_line(axis);
    put_line(labels);
    std::string caption = cut(x_caption(plot_, style_, panels_.x), columns_);
    put_line(std::string(labels_ + 2 + (columns_ - width_of(caption)) / 2, ' ') + caption);
  }

  const Plot& plot_;
  const PlotStyle& style_;
  std::size_t rows_;  ///< for panels, and names of curves
  std::string title_;
  bool is_stacked_ = false;
  Panels panels_;
  std::size_t labels_ = 0;   ///< columns of the labels of the vertical axes
  std::size_t columns_ = 0;  ///< of the panels
  std::string text_;
};

}  // namespace

std::string plot_text(const Plot& plot, const PlotStyle& style) {
  bool is_valid = style.width >= PlotStyle::kLeastColumns &&
                  style.width <= PlotStyle::kMostColumns &&
                  style.height >= PlotStyle::kLeastLines && style.height <= PlotStyle::kMostColumns;
  if (!is_valid) {
    throw Error(
        ErrorCode::invalid,
        fmt::format("invalid size {}x{}; a plot in text has from {} to {} columns and from "
                    "{} to {} lines",
                    style.width, style.height, PlotStyle::kLeastColumns, PlotStyle::kMostColumns,
                    PlotStyle::kLeastLines, PlotStyle::kMostColumns));
  }
  if (style.has_equal_scales && style.y) {
    throw Error(ErrorCode::invalid,
                "equal scales and a range of the vertical axis exclude each other");
  }
  return TextPlot(plot, style).draw();
}

}  // namespace kitbag
