#pragma once

#include <string>
#include <string_view>

namespace kitbag::remote {

/// Returns the part of a URL before its fragment, with spaces as %20.
std::string request_url(std::string_view url);

}  // namespace kitbag::remote
