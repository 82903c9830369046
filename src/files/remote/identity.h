#pragma once

#include <string>
#include <string_view>

namespace kitbag::remote {

/// Returns a text that stands for what is at the URL: a hash of it without user and password, and
/// without the parameters by which object stores sign.
std::string url_identity(std::string_view url);

}  // namespace kitbag::remote
