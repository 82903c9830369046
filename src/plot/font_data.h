#pragma once

#include <string_view>

namespace kitbag {

/// The file of a TrueType font, DejaVu Sans, which CMake puts into the library
/// (cmake/plot_font.cpp.in).
std::string_view font_data();

}  // namespace kitbag
