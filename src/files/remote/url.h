#pragma once

#include <string>
#include <string_view>

namespace kitbag::remote {

/// Returns the URL as people and logs may see it: without user and password, and with "..." for the
/// values of parameters that give access, such as the signature of a presigned URL.
std::string shown_url(std::string_view url);

/// Returns the part of a URL before its fragment, with spaces as %20.
std::string request_url(std::string_view url);

}  // namespace kitbag::remote
