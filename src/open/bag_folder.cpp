#include "kitbag/bag_folder.h"

#include <algorithm>
#include <optional>

#include "base/path.h"
#include "kitbag/error.h"
#include "kitbag/file_system.h"
#include "kitbag/open.h"
#include "kitbag/registry.h"

// A folder of bags and a bag that is a folder look alike. Recognizing by content would make a
// folder with one bag in it a directory bag, so what rosbag2 itself leaves must be there:
// metadata.yaml, or a file NAME_0.* in the folder NAME, which is all that a killed recorder leaves.
//
// What cannot be opened counts as a bag: it is better to fail with its name than to pass it over.

namespace kitbag {

/// Not by the format alone, which may also recognize a folder by the bags in it.
bool is_bag_directory(const std::string& path, const Session& session) {
  std::string bare = path;
  while (bare.size() > 1 && bare.ends_with('/')) bare.pop_back();
  std::string first_member = std::string(file_name(bare)) + "_0.";
  std::vector<std::string> names = session.file_system(path)->list(path);
  bool may_be_one = std::any_of(names.begin(), names.end(), [&](const std::string& name) {
    return name == "metadata.yaml" || name.starts_with(first_member);
  });
  if (!may_be_one) return false;
  const Format* format = match_format(session.registry(), session.input_at(path));
  return format && format->is_container;
}

namespace {

bool is_bag(const std::string& path, const Session& session) {
  try {
    auto status = session.file_system(path)->status(path);
    if (!status) return false;
    if (status->is_folder) return is_bag_directory(path, session);
    return status->is_regular && status->size_bytes > 0 &&
           match_format(session.registry(), session.input_at(path));
  } catch (const Error& error) {
    if (error.code() == ErrorCode::not_found) return false;  // it has gone meanwhile
    return true;                                             // opening it says why
  }
}

}  // namespace

bool is_folder_of_bags(const std::string& path, const Session& session) {
  if (path == "-" || location_of(path)) return false;
  std::string place = session.path_of(path);
  auto status = session.file_system(place)->status(place);
  return status && status->is_folder && !is_bag_directory(place, session);
}

std::vector<std::string> bags_in(const std::string& folder, const Session& session) {
  std::string place = session.path_of(folder);
  std::vector<std::string> paths;
  for (const std::string& name : session.file_system(place)->list(place)) {
    if (name.empty() || name.starts_with('.')) continue;
    std::string path = place + (place.ends_with('/') ? "" : "/") + name;
    if (is_bag(path, session)) paths.push_back(std::move(path));
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

}  // namespace kitbag
