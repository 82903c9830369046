#pragma once

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>

namespace kitbag::server {

/// Without the spaces and tabs around it.
inline std::string_view trimmed(std::string_view text) {
  auto is_space = [](char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

/// ASCII letters in lower case.
inline std::string lowered(std::string_view text) {
  std::string copy(text);
  for (char& c : copy) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return copy;
}

/// Takes what stands before the next `end` from the front of `text`, and `end` with it.
inline std::string_view take_until(std::string_view& text, char end) {
  std::size_t size = std::min(text.find(end), text.size());
  std::string_view taken = text.substr(0, size);
  text.remove_prefix(std::min(size + 1, text.size()));
  return taken;
}

}  // namespace kitbag::server
