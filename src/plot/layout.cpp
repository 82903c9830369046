#include "plot/layout.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "kitbag/error.h"
#include "plot/panels.h"

// From top to bottom: the title, the legend, the panels, the labels of the horizontal axis and what
// it shows. Stacked panels have the name of their curve above them, and no common legend.
//
// The labels of the vertical axes must be known for the width of the panels, and their number
// depends on the height only, so heights come first.

namespace kitbag {
namespace {

constexpr double kTextSize = 12;
constexpr double kTitleSize = 16;
constexpr double kLine = 18;  // of text, with the space around
constexpr double kMargin = 14;
constexpr double kSpace = 8;          // between a label and what it is about
constexpr double kSample = 22;        // of a line in the legend
constexpr double kTickGap = 42;       // at least, between labels of the vertical axis
constexpr double kTickDistance = 80;  // at least, between labels of the horizontal axis
constexpr double kCurveWidth = 1.4;
constexpr double kLeastPanel = 12;

struct Theme {
  Color background;
  Color text;
  Color axis;
  Color grid;
  std::vector<Color> curves;
};

const Theme& theme_of(bool is_dark) {
  static const Theme kLight{{255, 255, 255},
                            {51, 51, 51},
                            {120, 120, 120},
                            {228, 228, 228},
                            {{31, 119, 180},
                             {214, 39, 40},
                             {44, 160, 44},
                             {148, 103, 189},
                             {255, 127, 14},
                             {23, 160, 180},
                             {140, 86, 75},
                             {227, 100, 180},
                             {110, 110, 110},
                             {160, 160, 20},
                             {0, 60, 130},
                             {130, 0, 40},
                             {0, 100, 60},
                             {80, 30, 130},
                             {170, 90, 0},
                             {0, 0, 0}}};
  static const Theme kDark{{24, 26, 30},
                           {214, 214, 214},
                           {130, 130, 130},
                           {52, 55, 60},
                           {{88, 166, 255},
                            {255, 107, 107},
                            {86, 211, 100},
                            {188, 140, 255},
                            {255, 166, 87},
                            {64, 208, 224},
                            {201, 160, 145},
                            {255, 140, 210},
                            {170, 170, 170},
                            {220, 220, 90},
                            {150, 190, 255},
                            {255, 170, 190},
                            {150, 230, 200},
                            {215, 190, 255},
                            {255, 210, 150},
                            {255, 255, 255}}};
  return is_dark ? kDark : kLight;
}

class Layout {
 public:
  Layout(const Plot& plot, const PlotStyle& style, const Font& font)
      : plot_(plot),
        style_(style),
        font_(font),
        theme_(theme_of(style.is_dark)),
        panels_(panels_of(plot, style, style.is_stacked)),
        caption_(x_caption(plot, style, panels_.x)) {
    drawing_.width = style.width;
    drawing_.height = style.height;
    drawing_.background = theme_.background;
    drawing_.title = shown_title(style);
    if (drawing_.title.empty()) drawing_.title = fmt::format("{}", fmt::join(names(), ", "));
    drawing_.description = fmt::format("{} over {}", fmt::join(names(), ", "), caption_);
  }

  Drawing draw() {
    add_title();
    if (!style_.is_stacked) add_legend();
    place_panels();
    for (std::size_t i = 0; i < boxes_.size(); ++i) add_axes(i);
    for (std::size_t i = 0; i < boxes_.size(); ++i) add_curves(i);
    add(caption_, {boxes_[0].x + boxes_[0].width / 2, style_.height - kSpace}, Anchor::middle);
    return std::move(drawing_);
  }

 private:
  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const PlotCurve& curve : plot_.curves) names.push_back(shown_name(curve));
    return names;
  }
  const Color& color_of(std::size_t curve) const {
    return theme_.curves[curve % theme_.curves.size()];
  }

  void add(std::string text, Spot at, Anchor anchor, double size = kTextSize) {
    drawing_.parts.emplace_back(Label{at, std::move(text), size, theme_.text, anchor});
  }
  void add(std::vector<Line> lines, const Color& color) {
    if (!lines.empty()) drawing_.parts.emplace_back(Strokes{std::move(lines), color, 1});
  }

  void add_title() {
    std::string title = shown_title(style_);
    if (title.empty()) return;
    title = font_.cut(title, kTitleSize, style_.width - 2 * kMargin);
    add(std::move(title), {style_.width / 2.0, top_ + kTitleSize}, Anchor::middle, kTitleSize);
    top_ += kTitleSize + kSpace;
  }

  void add_legend() {
    double x = kMargin;
    double most = style_.width - 2 * kMargin - kSample - kSpace;
    double y = top_ + kTextSize;
    for (std::size_t i = 0; i < plot_.curves.size(); ++i) {
      std::string name = font_.cut(shown_name(plot_.curves[i]), kTextSize, most);
      double width = kSample + kSpace + font_.width(name, kTextSize);
      if (x > kMargin && x + width > style_.width - kMargin) {
        x = kMargin;
        y += kLine;
      }
      add_sample(i, {x, y}, std::move(name));
      x += width + 2 * kSpace;
    }
    top_ = y + kSpace;
  }

  void add_sample(std::size_t curve, Spot at, std::string name) {
    Line sample = {{at.x + 1, at.y - kTextSize / 3}, {at.x + kSample, at.y - kTextSize / 3}};
    drawing_.parts.emplace_back(Strokes{{sample}, color_of(curve), 2 * kCurveWidth});
    add(std::move(name), {at.x + kSample + kSpace, at.y}, Anchor::start);
  }

  void place_panels() {
    auto count = static_cast<double>(panels_.panels.size());
    double above = style_.is_stacked ? kLine + 4 : kSpace;
    double bottom = style_.height - 2 * kLine - kSpace;
    double height = (bottom - top_) / count - above;
    if (height < kLeastPanel) {
      throw Error(ErrorCode::invalid, fmt::format("{} curves do not fit into {} pixels of height",
                                                  plot_.curves.size(), style_.height));
    }
    // Heights are known by now, so the number of ticks is, and with their labels the width that is
    // left.
    double labels = find_y_ticks(height);
    if (style_.has_equal_scales) {
      make_scales_equal(panels_, width_beside(labels), height);
      labels = find_y_ticks(height);  // the scales may then differ by what the labels take more
      make_scales_equal(panels_, width_beside(labels), height);
      find_y_ticks(height);
    }
    double left = kMargin + labels + kSpace;
    double width = width_beside(labels);
    for (std::size_t i = 0; i < panels_.panels.size(); ++i) {
      double y = top_ + (height + above) * static_cast<double>(i) + above;
      boxes_.push_back({left, y, width, height});
    }
    place_x_ticks();
  }

  double width_beside(double labels) const { return style_.width - labels - kSpace - 3 * kMargin; }

  /// Returns the width of the labels.
  double find_y_ticks(double height) {
    auto most = static_cast<std::size_t>(height / kTickGap) + 1;
    double labels = 0;
    ticks_.clear();
    for (const Panel& panel : panels_.panels) {
      ticks_.push_back(y_ticks(plot_, panel, std::clamp<std::size_t>(most, 2, kMostTicks)));
      for (Tick& tick : ticks_.back()) {
        tick.label = font_.cut(tick.label, kTextSize, style_.width / 4.0);
        labels = std::max(labels, font_.width(tick.label, kTextSize));
      }
    }
    return labels;
  }

  /// As many as have room for their labels.
  void place_x_ticks() {
    const Box& box = boxes_[0];
    auto room = static_cast<std::size_t>(box.width / kTickDistance) + 1;
    // How long a label is follows from the step, so fewer ticks are tried until their labels fit.
    for (std::size_t most = std::min(room, kMostTicks); most > 0; --most) {
      x_ticks_ = x_ticks(plot_, style_, panels_.x, most);
      double widest = 0;
      for (const Tick& tick : x_ticks_) {
        widest = std::max(widest, font_.width(tick.label, kTextSize));
      }
      if (x_ticks_.size() < 2) return;
      double distance = x_scale().at(x_ticks_[1].at) - x_scale().at(x_ticks_[0].at);
      if (distance >= widest + 3 * kSpace && distance <= box.width) return;
    }
  }

  Scale x_scale() const { return {panels_.x, boxes_[0].x, boxes_[0].x + boxes_[0].width}; }
  Scale y_scale(std::size_t panel) const {
    const Box& box = boxes_[panel];
    return {panels_.panels[panel].y, box.y + box.height, box.y};
  }

  /// Lines of one pixel are sharp in the middle of pixels.
  static double sharp(double at) { return std::floor(at) + 0.5; }

  void add_axes(std::size_t index) {
    const Box& box = boxes_[index];
    double left = sharp(box.x);
    double right = sharp(box.x + box.width);
    double top = sharp(box.y);
    double bottom = sharp(box.y + box.height);
    std::vector<Line> grid;
    for (const Tick& tick : ticks_[index]) {
      double y = sharp(y_scale(index).at(tick.at));
      grid.push_back({{left, y}, {right, y}});
    }
    for (const Tick& tick : x_ticks_) {
      double x = sharp(x_scale().at(tick.at));
      grid.push_back({{x, top}, {x, bottom}});
    }
    // Under the axes and curves: later parts are drawn over earlier ones.
    add(std::move(grid), theme_.grid);
    add({{{left, top}, {left, bottom}, {right, bottom}}}, theme_.axis);
    double before = HUGE_VAL;
    for (const Tick& tick : ticks_[index]) {
      double y = y_scale(index).at(tick.at);
      if (before - y < kTextSize) continue;  // names can be close to each other
      add(tick.label, {left - kSpace, y + kTextSize / 3}, Anchor::end);
      before = y;
    }
    if (style_.is_stacked) {
      for (std::size_t curve : panels_.panels[index].curves) {
        std::string name =
            font_.cut(shown_name(plot_.curves[curve]), kTextSize, box.width - kSample - kSpace);
        add_sample(curve, {box.x, box.y - 6}, std::move(name));
      }
    }
    if (index + 1 < boxes_.size()) return;
    for (const Tick& tick : x_ticks_) {
      add(tick.label, {x_scale().at(tick.at), box.y + box.height + kLine}, Anchor::middle);
    }
  }

  void add_curves(std::size_t index) {
    for (std::size_t curve : panels_.panels[index].curves) {
      std::vector<Line> lines =
          lines_of(plot_.curves[curve], x_scale(), y_scale(index), !plot_.against.empty());
      if (lines.empty()) continue;
      Strokes strokes{std::move(lines), color_of(curve), kCurveWidth, boxes_[index],
                      shown_name(plot_.curves[curve])};
      // The half of a line on the border is seen.
      Box& clip = *strokes.clip;
      clip = {clip.x - 1, clip.y - 1, clip.width + 2, clip.height + 2};
      drawing_.parts.emplace_back(std::move(strokes));
    }
  }

  const Plot& plot_;
  const PlotStyle& style_;
  const Font& font_;
  const Theme& theme_;
  Panels panels_;
  std::string caption_;
  Drawing drawing_;
  double top_ = kMargin;
  std::vector<Box> boxes_;                ///< by panel
  std::vector<std::vector<Tick>> ticks_;  ///< of the vertical axes, by panel
  std::vector<Tick> x_ticks_;
};

}  // namespace

Drawing layout(const Plot& plot, const PlotStyle& style, const Font& font) {
  auto is_size = [](std::uint32_t pixels) {
    return pixels >= PlotStyle::kLeastPixels && pixels <= PlotStyle::kMostPixels;
  };
  if (!is_size(style.width) || !is_size(style.height)) {
    throw Error(
        ErrorCode::invalid,
        fmt::format("invalid size {}x{}; width and height are from {} to {} pixels", style.width,
                    style.height, PlotStyle::kLeastPixels, PlotStyle::kMostPixels));
  }
  if (style.has_equal_scales && style.y) {
    throw Error(ErrorCode::invalid,
                "equal scales and a range of the vertical axis exclude each "
                "other");
  }
  return Layout(plot, style, font).draw();
}

}  // namespace kitbag
