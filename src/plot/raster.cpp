#include "plot/raster.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>

#include "kitbag/error.h"

#include <ft2build.h>
#include FT_FREETYPE_H
#include FT_OUTLINE_H
#include FT_STROKER_H

// FreeType makes outlines of lines (its stroker) and of letters, and finds how much of each pixel
// an outline covers (its smooth rasterizer). What is left to do is to mix colors.
//
// An outline has at most 32,767 points, so a line is drawn in pieces. FreeType's y goes up.

namespace kitbag {
namespace {

constexpr std::size_t kMostSpots = 200;  // of a piece; its outline has some points for each
constexpr double kUnits = 64;            // of FreeType in a pixel

FT_Pos units(double pixels) {
  return static_cast<FT_Pos>(std::lround(pixels * kUnits));
}

void check(FT_Error error) {
  if (error == FT_Err_Out_Of_Memory) throw std::bad_alloc();
  if (error != 0) throw Error(ErrorCode::invalid, "FreeType cannot draw the plot");
}

/// Closes what FreeType has made.
struct CloseStroker {
  void operator()(FT_StrokerRec_* stroker) const { FT_Stroker_Done(stroker); }
};

class Outline {
 public:
  Outline(FT_Library library, FT_UInt points, FT_UInt contours) : library_(library) {
    check(FT_Outline_New(library, points, static_cast<FT_Int>(contours), &outline_));
    outline_.n_points = 0;
    outline_.n_contours = 0;
  }
  ~Outline() { FT_Outline_Done(library_, &outline_); }
  Outline(const Outline&) = delete;
  Outline& operator=(const Outline&) = delete;

  FT_Outline* get() { return &outline_; }

 private:
  FT_Library library_;
  FT_Outline outline_{};
};

class Raster {
 public:
  Raster(const Drawing& drawing, const Font& font)
      : font_(font), width_(drawing.width), height_(drawing.height) {
    picture_ = {.width = width_, .height = height_, .channels = 3};
    picture_.pixels.resize(std::size_t{3} * width_ * height_);
    for (std::size_t i = 0; i < picture_.pixels.size(); i += 3) set(i, drawing.background);
    FT_Stroker stroker = nullptr;
    check(FT_Stroker_New(font.library(), &stroker));
    stroker_.reset(stroker);
  }

  void draw(const Strokes& strokes) {
    color_ = strokes.color;
    clip_ =
        strokes.clip.value_or(Box{0, 0, static_cast<double>(width_), static_cast<double>(height_)});
    FT_Stroker_Set(stroker_.get(), units(strokes.width / 2), FT_STROKER_LINECAP_ROUND,
                   FT_STROKER_LINEJOIN_ROUND, 0);
    for (const Line& line : strokes.lines) {
      // Pieces share a spot, where their round ends make a joint.
      for (std::size_t begin = 0; begin == 0 || begin + 1 < line.size(); begin += kMostSpots - 1) {
        draw(std::span(line).subspan(begin, std::min(kMostSpots, line.size() - begin)));
      }
    }
  }

  void draw(const Label& label) {
    color_ = label.color;
    clip_ = {0, 0, static_cast<double>(width_), static_cast<double>(height_)};
    FT_Face face = font_.face();
    check(FT_Set_Char_Size(face, 0, units(label.size), 72, 72));
    double shift = label.anchor == Anchor::start ? 0 : font_.width(label.text, label.size);
    if (label.anchor == Anchor::middle) shift /= 2;
    double x = label.at.x - shift;
    for_each_character(label.text, [&](char32_t character) {
      if (FT_Load_Char(face, character, FT_LOAD_NO_HINTING | FT_LOAD_NO_BITMAP) != 0) return;
      // The outline is the face's own, and is loaded anew for each letter, so it may be moved.
      FT_Outline& outline = face->glyph->outline;
      FT_Outline_Translate(&outline, units(x), units(height_ - label.at.y));
      fill(outline);
      x += static_cast<double>(face->glyph->linearHoriAdvance) / 65536;
    });
  }

  Picture take() { return std::move(picture_); }

 private:
  void set(std::size_t at, const Color& color) {
    picture_.pixels[at] = std::byte{color.red};
    picture_.pixels[at + 1] = std::byte{color.green};
    picture_.pixels[at + 2] = std::byte{color.blue};
  }

  void draw(std::span<const Spot> spots) {
    FT_Stroker stroker = stroker_.get();
    FT_Stroker_Rewind(stroker);
    FT_Vector at = vector_of(spots.front());
    check(FT_Stroker_BeginSubPath(stroker, &at, 1));
    FT_Vector before = at;
    bool has_length = false;
    for (const Spot& spot : spots.subspan(1)) {
      at = vector_of(spot);
      if (at.x == before.x && at.y == before.y) continue;
      check(FT_Stroker_LineTo(stroker, &at));
      before = at;
      has_length = true;
    }
    if (!has_length) {  // a dot: the shortest line, with round ends
      at.x += 1;
      check(FT_Stroker_LineTo(stroker, &at));
    }
    check(FT_Stroker_EndSubPath(stroker));
    FT_UInt points = 0;
    FT_UInt contours = 0;
    check(FT_Stroker_GetCounts(stroker, &points, &contours));
    Outline outline(font_.library(), points, contours);
    FT_Stroker_Export(stroker, outline.get());
    fill(*outline.get());
  }

  FT_Vector vector_of(const Spot& spot) const { return {units(spot.x), units(height_ - spot.y)}; }

  void fill(FT_Outline& outline) {
    FT_Raster_Params params{};
    params.source = &outline;
    params.flags = FT_RASTER_FLAG_AA | FT_RASTER_FLAG_DIRECT | FT_RASTER_FLAG_CLIP;
    // FreeType hands over runs of pixels with their coverage, and nothing is drawn into a bitmap of
    // its own first.
    params.gray_spans = [](int y, int count, const FT_Span* spans, void* self) {
      static_cast<Raster*>(self)->take_spans(y, {spans, static_cast<std::size_t>(count)});
    };
    params.user = this;
    params.clip_box = {static_cast<FT_Pos>(std::floor(clip_.x)),
                       static_cast<FT_Pos>(std::floor(height_ - clip_.y - clip_.height)),
                       static_cast<FT_Pos>(std::ceil(clip_.x + clip_.width)),
                       static_cast<FT_Pos>(std::ceil(height_ - clip_.y))};
    check(FT_Outline_Render(font_.library(), &outline, &params));
  }

  void take_spans(int y, std::span<const FT_Span> spans) {
    std::int64_t row = static_cast<std::int64_t>(height_) - 1 - y;
    if (row < 0 || row >= height_) return;
    for (const FT_Span& span : spans) {
      std::int64_t begin = std::max<std::int64_t>(span.x, 0);
      std::int64_t end = std::min<std::int64_t>(std::int64_t{span.x} + span.len, width_);
      for (std::int64_t x = begin; x < end; ++x) {
        mix(static_cast<std::size_t>(row * width_ + x) * 3, span.coverage);
      }
    }
  }

  void mix(std::size_t at, unsigned coverage) {
    const std::uint8_t color[] = {color_.red, color_.green, color_.blue};
    for (std::size_t i = 0; i < 3; ++i) {
      auto before = std::to_integer<unsigned>(picture_.pixels[at + i]);
      unsigned mixed = (before * (255 - coverage) + color[i] * coverage + 127) / 255;
      picture_.pixels[at + i] = static_cast<std::byte>(mixed);
    }
  }

  const Font& font_;
  std::uint32_t width_;
  std::uint32_t height_;
  Picture picture_;
  std::unique_ptr<FT_StrokerRec_, CloseStroker> stroker_;
  Color color_;
  Box clip_;
};

}  // namespace

Picture raster_of(const Drawing& drawing, const Font& font) {
  Raster raster(drawing, font);
  for (const auto& part : drawing.parts) {
    std::visit([&](const auto& each) { raster.draw(each); }, part);
  }
  return raster.take();
}

}  // namespace kitbag
