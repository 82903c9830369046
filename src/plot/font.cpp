#include "plot/font.h"

#include <ft2build.h>
#include FT_FREETYPE_H

#include "base/utf8.h"
#include "kitbag/error.h"
#include "plot/font_data.h"

namespace kitbag {

void Font::CloseLibrary::operator()(FT_LibraryRec_* library) const {
  FT_Done_FreeType(library);
}

void Font::CloseFace::operator()(FT_FaceRec_* face) const {
  FT_Done_Face(face);
}

Font::Font() {
  FT_Library library = nullptr;
  if (FT_Init_FreeType(&library) != 0) throw Error(ErrorCode::invalid, "FreeType cannot begin");
  library_.reset(library);
  FT_Face face = nullptr;
  std::string_view data = font_data();
  const auto* bytes = reinterpret_cast<const FT_Byte*>(data.data());
  if (FT_New_Memory_Face(library, bytes, static_cast<FT_Long>(data.size()), 0, &face) != 0) {
    throw Error(ErrorCode::invalid, "FreeType cannot read the font of plots");
  }
  face_.reset(face);
}

double Font::width(std::string_view text, double size) const {
  double units = 0;
  for_each_character(text, [&](char32_t character) {
    // In the units of the font, which no size rounds: SVG and PNG get the same places from it.
    if (FT_Load_Char(face(), character, FT_LOAD_NO_SCALE) != 0) return;
    units += static_cast<double>(face()->glyph->metrics.horiAdvance);
  });
  return units * size / face()->units_per_EM;
}

std::string Font::cut(std::string_view text, double size, double most) const {
  if (width(text, size) <= most) return std::string(text);
  constexpr std::string_view kEllipsis = "…";
  double taken = width(kEllipsis, size);
  std::string fitting;
  bool is_full = false;
  for_each_character(text, [&](char32_t character) {
    std::string one;
    append_utf8(one, character);
    taken += width(one, size);
    is_full |= taken > most;
    if (!is_full) fitting += one;
  });
  return fitting + std::string(kEllipsis);
}

void for_each_character(std::string_view text, const std::function<void(char32_t)>& take) {
  while (!text.empty()) {
    Utf8Character next = decode_utf8(text);
    if (next.length == 0) next = {U'\uFFFD', 1};
    take(next.value);
    text.remove_prefix(next.length);
  }
}

}  // namespace kitbag
