#include "sql/wanted.h"

#include <algorithm>
#include <cstdint>

namespace kitbag::sql {

std::string print_wanted(const sqlite3_index_info& query, std::size_t last) {
  std::string text;
  for (std::size_t i = 1; i <= last; ++i) {
    // The last bit stands for all columns from there on.
    std::uint64_t bit = std::uint64_t{1} << std::min<std::size_t>(i, 63);
    if ((query.colUsed & bit) == 0) continue;
    if (!text.empty()) text += ',';
    text += std::to_string(i);
  }
  return text;
}

std::vector<std::size_t> parse_wanted(const std::string& text) {
  std::vector<std::size_t> columns;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = std::min(text.find(',', at), text.size());
    columns.push_back(static_cast<std::size_t>(std::stoul(text.substr(at, end - at))));
    at = end + 1;
  }
  return columns;
}

}  // namespace kitbag::sql
