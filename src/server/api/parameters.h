#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kitbag/time.h"
#include "server/http/message.h"

namespace kitbag::server {

/// The words of all parameters with that name, which commas separate.
std::vector<std::string> words_of(const Request& request, std::string_view name);

/// `text`, the value of the parameter `name`, as seconds since 1970. Throws Error (invalid).
Time time_of(std::string_view name, const std::string& text);

}  // namespace kitbag::server
