#include "server/api/parameters.h"

#include <fmt/format.h>

#include <algorithm>

#include "kitbag/error.h"
#include "kitbag/escape.h"
#include "server/api/seconds.h"

namespace kitbag::server {

std::vector<std::string> words_of(const Request& request, std::string_view name) {
  std::vector<std::string> words;
  for (const auto& [key, value] : request.query) {
    if (key != name) continue;
    std::string_view rest = value;
    while (!rest.empty()) {
      std::size_t size = std::min(rest.find(','), rest.size());
      if (size > 0) words.emplace_back(rest.substr(0, size));
      rest.remove_prefix(std::min(size + 1, rest.size()));
    }
  }
  return words;
}

Time time_of(std::string_view name, const std::string& text) {
  if (auto time = parse_seconds(text)) return *time;
  throw Error(ErrorCode::invalid,
              fmt::format("{}={} is not a time in seconds since 1970", name, escaped(text)));
}

}  // namespace kitbag::server
