#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

// FreeType's own names, so that its headers are included where they are needed only.
struct FT_LibraryRec_;
struct FT_FaceRec_;

namespace kitbag {

/// The letters of plots. One thread at a time.
class Font {
 public:
  /// Throws Error (invalid) if FreeType cannot begin.
  Font();

  /// How wide a text is, in pixels, with letters of `size` pixels.
  double width(std::string_view text, double size) const;
  /// `text`, or as much of it as fits into `width`, with an ellipsis behind it.
  std::string cut(std::string_view text, double size, double width) const;

  FT_LibraryRec_* library() const { return library_.get(); }
  FT_FaceRec_* face() const { return face_.get(); }

 private:
  struct CloseLibrary {
    void operator()(FT_LibraryRec_* library) const;
  };
  struct CloseFace {
    void operator()(FT_FaceRec_* face) const;
  };

  std::unique_ptr<FT_LibraryRec_, CloseLibrary> library_;
  std::unique_ptr<FT_FaceRec_, CloseFace> face_;
};

/// Calls `take` for each character of a valid UTF-8 text.
void for_each_character(std::string_view text, const std::function<void(char32_t)>& take);

}  // namespace kitbag
