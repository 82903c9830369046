#include "definitions/definition_finder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <set>
#include <string_view>

#include "io/posix.h"
#include "language/ros1msg/parser.h"
#include "language/ros2msg/parser.h"

namespace kitbag {
namespace {

namespace fs = std::filesystem;

/// The folders of a package that hold definitions.
constexpr std::array<std::string_view, 3> kKinds = {"msg", "srv", "action"};

/// Where the definition of a type lies.
struct Place {
  std::string package;
  std::string kind;  ///< one of those
  std::string file;  ///< "String.msg", "SetBool.srv"
};

/// Of "std_msgs/String", and of "std_srvs/srv/SetBool_Event" that of the service as a whole.
/// Nothing for what is no name of a type: names come from bags.
std::optional<Place> place_of(const std::string& name) {
  std::string package(ros1msg::package_of(name));
  for (const char* kind : {"srv", "action"}) {
    std::string begin = package + "/" + kind + "/";
    if (!name.starts_with(begin)) continue;
    std::string whole = ros2msg::whole_name(name);
    std::string type = whole.substr(std::min(begin.size(), whole.size()));
    if (!ros1msg::is_type_name(package + "/" + type)) return std::nullopt;
    return Place{package, kind, type + "." + kind};
  }
  if (package.empty() || !ros1msg::is_type_name(name)) return std::nullopt;
  return Place{package, "msg", name.substr(package.size() + 1) + ".msg"};
}

/// A folder given by mistake, such as /, must not keep anybody waiting.
constexpr std::size_t kMostFolders = 20'000;

/// What is not there, or not for us to see, holds no definition. A disk that fails, or a system
/// that is short of something, may hide one: throws.
void require_answer(const std::error_code& error, const fs::path& path) {
  bool is_answer = !error || error == std::errc::no_such_file_or_directory ||
                   error == std::errc::not_a_directory || error == std::errc::permission_denied ||
                   error == std::errc::filename_too_long ||
                   error == std::errc::too_many_symbolic_link_levels;
  if (!is_answer) throw system_error("look for definitions", error.value(), path.string());
}

/// The folders in `folder`, hidden ones left out, by name.
std::vector<fs::path> folders_in(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code error;
  fs::directory_iterator end;
  for (fs::directory_iterator it(folder, error); !error && it != end; it.increment(error)) {
    std::error_code unreadable;
    bool is_hidden = it->path().filename().string().starts_with('.');
    if (!is_hidden && it->is_directory(unreadable)) found.push_back(it->path());
    require_answer(unreadable, it->path());
  }
  require_answer(error, folder);
  std::sort(found.begin(), found.end());
  return found;
}

/// The path without "." and a slash at its end, so that its last part is a name.
fs::path named(const std::string& path) {
  std::error_code ignored;
  fs::path whole = fs::absolute(path, ignored).lexically_normal();
  return whole.has_filename() ? whole : whole.parent_path();
}

/// Where the folder may hold the definition without a search below it.
std::vector<fs::path> places(const fs::path& folder, const Place& wanted) {
  const auto& [package, kind, file] = wanted;
  std::vector<fs::path> found = {folder / package / kind / file, folder / package / file,
                                 folder / "share" / package / kind / file};
  if (folder.filename() == package) found.push_back(folder / kind / file);
  bool is_inside = folder.filename() == kind && folder.parent_path().filename() == package;
  if (is_inside) found.push_back(folder / file);
  return found;
}

}  // namespace

std::vector<DefinitionFinder::File> DefinitionFinder::files(const std::string& name) {
  std::vector<File> found;
  std::set<std::string> seen;
  auto wanted = place_of(name);
  if (!wanted) return found;
  auto take = [&](const fs::path& path, std::size_t folder) {
    std::error_code absent;
    bool is_file = fs::is_regular_file(path, absent);
    require_answer(absent, path);
    if (!is_file || !seen.insert(path.string()).second) return;
    found.push_back({path.string(), folder});
  };
  for (std::size_t folder = 0; folder < paths_.size(); ++folder) {
    for (const fs::path& place : places(named(paths_[folder].path), *wanted)) {
      take(place, folder);
    }
    if (paths_[folder].levels == 0) continue;
    const Packages& packages = packages_below(folder);
    auto below = packages.find(wanted->package);
    if (below == packages.end()) continue;
    for (const std::string& each : below->second) {
      take(fs::path(each) / wanted->kind / wanted->file, folder);
    }
  }
  return found;
}

const DefinitionFinder::Packages& DefinitionFinder::packages_below(std::size_t folder) {
  auto [place, is_new] = below_.try_emplace(folder);
  if (!is_new) return place->second;
  std::vector<fs::path> level = {named(paths_[folder].path)};
  std::size_t seen = 0;
  for (unsigned depth = 0; depth <= paths_[folder].levels; ++depth) {
    std::vector<fs::path> next;
    for (const fs::path& parent : level) {
      if (seen++ == kMostFolders) return place->second;
      for (const fs::path& child : folders_in(parent)) {
        bool is_kind = std::find(kKinds.begin(), kKinds.end(), child.filename()) != kKinds.end();
        if (is_kind) {
          auto& found = place->second[parent.filename().string()];
          if (found.empty() || found.back() != parent) found.push_back(parent.string());
        } else {
          next.push_back(child);
        }
      }
    }
    level = std::move(next);
  }
  return place->second;
}

std::vector<std::string> names_of_history(const std::string& name) {
  constexpr std::pair<std::string_view, std::string_view> kRenamed[] = {
      {"roslib/Header", "std_msgs/Header"},
      {"roslib/Log", "rosgraph_msgs/Log"},
      {"roslib/Clock", "rosgraph_msgs/Clock"},
  };
  constexpr std::string_view kOldest = "rostools/";
  std::vector<std::string> names = {name};
  if (name.starts_with(kOldest)) names.push_back("roslib/" + name.substr(kOldest.size()));
  for (const auto& [before, after] : kRenamed) {
    if (names.back() == before) {
      names.emplace_back(after);
      break;
    }
  }
  return names;
}

}  // namespace kitbag
