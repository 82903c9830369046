#include "kitbag/bag_folder.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>

#include "base/path.h"
#include "kitbag/error.h"
#include "kitbag/file_system.h"
#include "kitbag/open.h"
#include "kitbag/registry.h"

// A folder of bags and a bag that is a folder look alike. Recognizing by content would make a
// folder with one bag in it a directory bag, so what rosbag2 itself leaves must be there:
// metadata.yaml, or a file NAME_0.* in the folder NAME, which is all that a killed recorder leaves.
//
// What cannot be opened counts as a bag, and so does what has the name of one: it is better to fail
// with its name than to pass it over. So a link that leads nowhere, as to a disk that is not
// mounted, is a bag by its name, and so are pipes and devices.

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

bool is_bag_file(const std::string& path, const FileStatus& status, const Session& session) {
  if (!status.is_regular) return false;
  if (format_of_name(session.registry(), path)) return true;
  return status.size_bytes > 0 && match_format(session.registry(), session.input_at(path));
}

namespace {

using IsBag = std::function<bool(const std::string& path, const FileStatus& status)>;

bool is_bag(const FoundPath& candidate, const Session& session) {
  const auto& [path, status] = candidate;
  if (status == FileStatus()) return true;  // it cannot be looked at: opening it says why
  if (!status.is_folder && !status.is_regular) {
    return format_of_name(session.registry(), path) != nullptr;
  }
  try {
    return status.is_folder ? is_bag_directory(path, session) : is_bag_file(path, status, session);
  } catch (const Error& error) {
    if (error.code() == ErrorCode::not_found) return false;  // it has gone meanwhile
    return true;                                             // opening it says why
  }
}

bool leads_nowhere(const std::string& link, const FileSystem& files) {
  try {
    return !files.status(link);
  } catch (const Error&) {
    return false;  // nobody knows, and it is a candidate already
  }
}

/// Links in a folder of this machine that are called as bags and lead nowhere, with an empty
/// status.
void add_dangling_links(const std::string& folder, const FileSystem& files, const Session& session,
                        std::vector<FoundPath>& found) {
  for (const std::string& name : files.list(folder)) {
    if (name.starts_with('.') || !format_of_name(session.registry(), name)) continue;
    std::string path = path_in(folder, name);
    std::error_code gone;
    if (!std::filesystem::is_symlink(path, gone) || !leads_nowhere(path, files)) continue;
    found.push_back({std::move(path), {}});
  }
}

/// What is in a folder and does not begin with a dot. A store says it of all in one answer.
std::vector<FoundPath> candidates_in(const std::string& folder, const Session& session) {
  std::vector<FoundPath> found;
  FileSystemPtr files = session.file_system(folder);
  files->visit(folder, [&](const FolderEntry& entry) {
    if (entry.name.empty() || entry.name.starts_with('.')) return;
    found.push_back({path_in(folder, entry.name), entry.status});
  });
  if (files->is_local()) add_dangling_links(folder, *files, session, found);
  return found;
}

/// Whether `path` is a URI of a transport; those of file systems are paths.
bool is_live(const std::string& path, const Session& session) {
  auto location = location_of(path);
  if (!location) return false;
  std::vector<std::string> schemes = session.transport_schemes();
  return std::find(schemes.begin(), schemes.end(), location->scheme) != schemes.end();
}

}  // namespace

bool is_folder_of_bags(const std::string& path, const Session& session) {
  if (path == "-" || is_live(path, session)) return false;
  std::string place = session.path_of(path);
  auto status = session.file_system(place)->status(place);
  return status && status->is_folder && !is_bag_directory(place, session);
}

std::vector<std::string> bags_in(const std::string& folder, const Session& session) {
  std::vector<std::string> paths;
  for (FoundPath& each : candidates_in(session.path_of(folder), session)) {
    if (is_bag(each, session)) paths.push_back(std::move(each.path));
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

namespace {

/// "run_" for "run_3.mcap"; empty for a name without a number.
std::string_view name_of_series(std::string_view path) {
  std::string_view name = file_name(path);
  name = name.substr(0, name.find('.'));
  std::size_t digits = name.find_last_not_of("0123456789") + 1;
  bool is_numbered = digits > 0 && digits < name.size() && name[digits - 1] == '_';
  return is_numbered ? name.substr(0, digits) : std::string_view();
}

/// `above` are the folders on the way: links may lead back to them.
void add_bags_below(const std::string& folder, const Session& session, const IsBag& is_known_bag,
                    std::vector<FileId>& above, std::vector<FoundPath>& bags) {
  for (FoundPath& each : candidates_in(folder, session)) {
    bool is_known = is_known_bag && each.status.is_regular && is_known_bag(each.path, each.status);
    if (is_known || is_bag(each, session)) {
      bags.push_back(std::move(each));
      continue;
    }
    if (!each.status.is_folder) continue;
    FileId id = each.status.id;
    bool leads_back = id != FileId() && std::find(above.begin(), above.end(), id) != above.end();
    if (leads_back) continue;
    above.push_back(id);
    add_bags_below(each.path, session, is_known_bag, above, bags);
    above.pop_back();
  }
}

}  // namespace

std::vector<FoundPath> bags_below(const std::string& folder, const Session& session,
                                  const IsBag& is_bag) {
  std::vector<FoundPath> bags;
  std::string place = session.path_of(folder);
  std::vector<FileId> above;
  if (auto status = session.file_system(place)->status(place)) above.push_back(status->id);
  add_bags_below(place, session, is_bag, above, bags);
  std::ranges::sort(bags, {}, &FoundPath::path);
  return bags;
}

std::vector<std::string> bags_below(const std::string& folder, const Session& session) {
  std::vector<std::string> paths;
  for (FoundPath& bag : bags_below(folder, session, {})) paths.push_back(std::move(bag.path));
  return paths;
}

std::vector<std::string> unrelated_bags_in(const std::string& path, const Session& session) {
  if (!is_folder_of_bags(path, session)) return {};
  std::vector<std::string> bags = bags_in(path, session);
  if (bags.empty()) return {};
  std::string_view series = name_of_series(bags.front());
  bool is_series = !series.empty() && std::all_of(bags.begin(), bags.end(), [&](const auto& bag) {
    return name_of_series(bag) == series;
  });
  return is_series ? std::vector<std::string>() : bags;
}

}  // namespace kitbag
