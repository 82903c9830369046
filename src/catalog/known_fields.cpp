#include "catalog/known_fields.h"

#include <utility>

#include "catalog/stored_text.h"
#include "kitbag/text.h"

namespace kitbag::catalog {

std::set<std::string> field_paths(std::string_view stored_lines) {
  std::string text = bytes_of(stored_lines);
  std::string_view lines = text;
  std::set<std::string> paths;
  while (!lines.empty()) {
    std::size_t end = lines.find('\n');
    std::string path(lines.substr(0, end));
    for (std::size_t at = path.find("[]"); at != std::string::npos; at = path.find("[]", at)) {
      path.erase(at, 2);
    }
    paths.insert(std::move(path));
    lines.remove_prefix(end == std::string_view::npos ? lines.size() : end + 1);
  }
  return paths;
}

bool is_part_of_time(const std::string& path) {
  std::string name = path.substr(path.rfind('.') + 1);
  return name == "secs" || name == "nsecs" || name == "sec" || name == "nanosec" || name == "nsec";
}

KnownFields::KnownFields(Database& database) {
  for (const SqlRow& row : database.run("SELECT fields FROM channels")) {
    if (const auto* lines = std::get_if<std::string>(&row.at(0))) {
      paths_.merge(field_paths(*lines));
    } else {
      // A channel of an unknown type may have any field.
      are_all_known_ = false;
    }
  }
}

bool KnownFields::may_have(const std::string& path) const {
  return !are_all_known_ || paths_.contains(path) || is_part_of_time(path);
}

std::vector<std::string> KnownFields::similar_to(const std::string& path) const {
  constexpr std::size_t kMost = 3;
  return nearest_texts(path, {paths_.begin(), paths_.end()}, kMost);
}

}  // namespace kitbag::catalog
