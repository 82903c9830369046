#include "catalog/known_fields.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <variant>

#include "catalog/stored_text.h"
#include "kitbag/text.h"
#include "kitbag/type.h"
#include "payload/field_steps.h"

// What is stored of a type is what all_paths() lists, and that ends somewhere. A field that is not
// listed is one that does not exist only where the list is whole.

namespace kitbag::catalog {
namespace {

/// Whether all_paths() does not list the fields at such a path, although they may exist.
bool is_never_listed(const std::string& path) {
  auto depth = static_cast<std::size_t>(std::count(path.begin(), path.end(), '.'));
  return depth > kMaxTypeDepth || part_of_time(path.substr(path.rfind('.') + 1)) >= 0;
}

}  // namespace

KnownFields::KnownFields(Database& database) {
  for (const SqlRow& row : database.run("SELECT fields FROM channels")) add(row.at(0));
}

void KnownFields::add(const SqlValue& stored) {
  const auto* stored_lines = std::get_if<std::string>(&stored);
  if (!stored_lines) {
    // A channel of an unknown type may have any field.
    are_all_known_ = false;
    return;
  }
  std::string text = bytes_of(*stored_lines);
  std::string_view lines = text;
  std::size_t count = 0;
  while (!lines.empty()) {
    std::size_t end = lines.find('\n');
    std::string path(lines.substr(0, end));
    for (std::size_t at = path.find("[]"); at != std::string::npos; at = path.find("[]", at)) {
      path.erase(at, 2);
    }
    paths_.insert(std::move(path));
    ++count;
    lines.remove_prefix(end == std::string_view::npos ? lines.size() : end + 1);
  }
  // The list may have been cut.
  if (count >= kMostPaths) are_all_known_ = false;
}

bool KnownFields::may_have(const std::string& path) const {
  return !are_all_known_ || paths_.contains(path) || is_never_listed(path);
}

std::vector<std::string> KnownFields::similar_to(const std::string& path) const {
  constexpr std::size_t kMost = 3;
  return nearest_texts(path, {paths_.begin(), paths_.end()}, kMost);
}

}  // namespace kitbag::catalog
