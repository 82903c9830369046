#include "kitbag/text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

namespace kitbag {

namespace {

/// Longer texts are not compared in whole: the time is the product of both lengths.
constexpr std::size_t kMostCompared = 128;

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

/// How many characters must be inserted, removed or replaced (Levenshtein's distance); a change of
/// case is free.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t k = 0; k < b.size(); ++k) {
      std::size_t replaced = diagonal + (lower(a[i]) == lower(b[k]) ? 0 : 1);
      diagonal = row[k + 1];
      row[k + 1] = std::min({replaced, row[k] + 1, row[k + 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::vector<std::string> nearest_texts(std::string_view text, const std::vector<std::string>& known,
                                       std::size_t most) {
  text = text.substr(0, kMostCompared);
  std::vector<std::pair<std::size_t, std::string>> found;
  for (const std::string& each : known) {
    std::string_view compared = std::string_view(each).substr(0, kMostCompared);
    std::size_t away = distance(text, compared);
    // The last part of a path alone is what people write when they do not know where it is, and
    // the first part of a word when it is long.
    if (text.size() > 1 && compared.starts_with(text)) away = std::min<std::size_t>(away, 2);
    bool is_end = compared.size() > text.size() && compared.ends_with(text);
    if (is_end) away = 1;
    bool has_common = away < std::max(text.size(), compared.size());
    bool is_near = away <= std::max<std::size_t>(2, text.size() / 2);
    if (has_common && is_near) found.emplace_back(away, each);
  }
  std::sort(found.begin(), found.end());
  std::vector<std::string> nearest;
  for (auto& [away, each] : found) {
    if (nearest.size() == most) break;
    nearest.push_back(std::move(each));
  }
  return nearest;
}

std::string describe_known(const std::vector<std::string>& texts, std::string_view what,
                           std::vector<std::string> known) {
  constexpr std::size_t kMostSimilar = 3;
  constexpr std::size_t kMostShown = 10;
  if (known.empty()) return {};
  std::sort(known.begin(), known.end());
  known.erase(std::unique(known.begin(), known.end()), known.end());
  std::vector<std::string> similar;
  for (const std::string& text : texts) {
    for (std::string& each : nearest_texts(text, known, kMostSimilar)) {
      if (std::find(similar.begin(), similar.end(), each) == similar.end()) {
        similar.push_back(std::move(each));
      }
    }
  }
  std::string described;
  if (!similar.empty()) described = fmt::format("; similar: {}", fmt::join(similar, ", "));
  std::size_t shown = std::min(known.size(), kMostShown);
  auto end = known.begin() + static_cast<std::ptrdiff_t>(shown);
  described += fmt::format("; available {}: {}", what, fmt::join(known.begin(), end, ", "));
  if (known.size() > shown) described += fmt::format(" and {} more", known.size() - shown);
  return described;
}

}  // namespace kitbag
