#include "sql/names.h"

#include <fmt/format.h>

#include <set>
#include <utility>

namespace kitbag::sql {

std::string quoted(const std::string& name) {
  std::string all = "\"";
  for (char c : name) {
    if (c == '"') all += '"';
    all += c;
  }
  return all + '"';
}

std::string lower(std::string name) {
  for (char& c : name) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return name;
}

std::string plain_name(const std::string& topic) {
  std::string name;
  for (char c : topic.starts_with('/') ? topic.substr(1) : topic) {
    bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    name += is_plain ? c : '_';
  }
  return name;
}

std::string case_remedy(const std::string& topic) {
  return fmt::format(
      "other topics differ from it by the case of letters alone, which names of tables ignore; use "
      "CREATE VIRTUAL TABLE temp.NAME USING kitbag_topic({})",
      quoted(topic));
}

std::vector<std::string> unique_names(const std::vector<std::string>& names) {
  std::set<std::string> known;
  std::vector<std::string> all;
  all.reserve(names.size());
  for (const std::string& name : names) {
    std::string unique = name;
    for (int i = 2; !known.insert(unique).second; ++i) unique = fmt::format("{}_{}", name, i);
    all.push_back(std::move(unique));
  }
  return all;
}

}  // namespace kitbag::sql
