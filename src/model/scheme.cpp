#include "model/scheme.h"

#include <cctype>
#include <cstddef>

namespace kitbag {

std::string_view scheme_of(std::string_view uri) {
  std::size_t end = uri.find("://");
  if (end == std::string_view::npos) return {};
  // RFC 3986, section 3.1. A path may have "://" in it, too.
  for (std::size_t i = 0; i < end; ++i) {
    auto c = static_cast<unsigned char>(uri[i]);
    bool allowed =
        std::isalpha(c) || (i > 0 && (std::isdigit(c) || c == '+' || c == '-' || c == '.'));
    if (!allowed) return {};
  }
  return uri.substr(0, end);
}

}  // namespace kitbag
