#pragma once

#include <string>
#include <string_view>

#include "plot/drawing.h"

namespace kitbag {

std::string svg_of(const Drawing& drawing);

/// Returns `text` as XML content or as an attribute. Characters that XML cannot have are left out.
std::string xml_text(std::string_view text);

}  // namespace kitbag
