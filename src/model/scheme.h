#pragma once

#include <string_view>

namespace kitbag {

/// Returns the scheme of a URI, "http" of "http://x"; empty for a path.
std::string_view scheme_of(std::string_view uri);

}  // namespace kitbag
