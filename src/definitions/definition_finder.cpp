#include "definitions/definition_finder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <set>
#include <span>
#include <system_error>

#include "io/posix.h"
#include "kitbag/file.h"

// Where definitions lie was never settled: installed packages have them under share, sources in the
// package's folder, and people copy a package's folder or only its msg folder somewhere. Each of
// these forms is tried by name, without a search: a few look-ups for each folder and type.
//
// Only the folders of ROS_PACKAGE_PATH are searched in depth, as rospack does it, since stacks and
// repositories lie between them and their packages. Each is searched once, for all packages in it,
// and hidden folders and folders of definitions are not entered.
//
// "Not found" must be an answer of the disk. If the disk fails instead, a wrong version further
// down the list would be taken, so that is an error.

namespace kitbag {
namespace {

namespace fs = std::filesystem;

/// A folder given by mistake, such as /, must not keep anybody waiting.
constexpr std::size_t kMostFolders = 20'000;
/// No language reads longer texts; the largest real one seen has 30 KiB.
constexpr std::uint64_t kMaxTextBytes = 4 << 20;

/// A path that does not exist or may not be read contains no definition. A disk that fails, or a
/// system that runs out of a resource, may hide one: throws.
void require_answer(const std::error_code& error, const fs::path& path) {
  bool is_answer = !error || error == std::errc::no_such_file_or_directory ||
                   error == std::errc::not_a_directory || error == std::errc::permission_denied ||
                   error == std::errc::filename_too_long ||
                   error == std::errc::too_many_symbolic_link_levels;
  if (!is_answer) throw system_error("look for definitions", error.value(), path.string());
}

std::string read_definition(const std::string& path) {
  auto file = open_file(path);
  std::uint64_t size = file->size();
  if (size > kMaxTextBytes) {
    throw Error(ErrorCode::unsupported, "the file is too large for a definition", path);
  }
  std::string text(static_cast<std::size_t>(size), '\0');
  text.resize(file->read(0, std::as_writable_bytes(std::span(text))));
  return text;
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

/// The path without "." and a trailing slash, so that its last part is a name.
fs::path named(const std::string& path) {
  std::error_code ignored;
  fs::path whole = fs::absolute(path, ignored).lexically_normal();
  return whole.has_filename() ? whole : whole.parent_path();
}

/// Where the folder may contain the definition without a search in its subfolders.
std::vector<fs::path> places(const fs::path& root, const DefinitionPlace& wanted) {
  const auto& [package, folder, file, is_part] = wanted;
  std::vector<fs::path> found = {root / package / folder / file, root / package / file,
                                 root / "share" / package / folder / file};
  if (root.filename() == package) found.push_back(root / folder / file);
  bool is_inside = root.filename() == folder && root.parent_path().filename() == package;
  if (is_inside) found.push_back(root / file);
  return found;
}

}  // namespace

std::string DefinitionFinder::File::text() const {
  return standard ? std::string(standard->text) : read_definition(path);
}

std::vector<DefinitionFinder::File> DefinitionFinder::files(const Language& language,
                                                            const std::string& name) {
  std::vector<File> found;
  std::set<std::string> seen;
  auto wanted = language.files->place(name);
  if (!wanted) return found;
  auto take = [&](const fs::path& path, std::size_t folder) {
    std::error_code absent;
    bool is_file = fs::is_regular_file(path, absent);
    require_answer(absent, path);
    if (!is_file || !seen.insert(path.string()).second) return;
    found.push_back({path.string(), folder});
  };
  for (std::size_t folder = 0; folder < paths_.size(); ++folder) {
    if (paths_[folder].path == kStandardDefinitions) {
      for (const StandardDefinition& each : standard_definitions(language.name, *wanted)) {
        found.push_back({fmt::format("kitbag's own {}/{}/{} of {}", wanted->package, wanted->folder,
                                     wanted->file, each.release),
                         paths_.size() + each.number, &each});
      }
      continue;
    }
    for (const fs::path& place : places(named(paths_[folder].path), *wanted)) {
      take(place, folder);
    }
    if (paths_[folder].levels == 0) continue;
    const Packages& packages = packages_below({folder, language.files->folders});
    auto below = packages.find(wanted->package);
    if (below == packages.end()) continue;
    for (const std::string& each : below->second) {
      take(fs::path(each) / wanted->folder / wanted->file, folder);
    }
  }
  return found;
}

const DefinitionFinder::Packages& DefinitionFinder::packages_below(const Search& search) {
  auto [place, is_new] = below_.try_emplace(search);
  if (!is_new) return place->second;
  const auto& [root, folders] = search;
  std::vector<fs::path> level = {named(paths_[root].path)};
  std::size_t seen = 0;
  for (unsigned depth = 0; depth <= paths_[root].levels; ++depth) {
    std::vector<fs::path> next;
    for (const fs::path& parent : level) {
      // What was found until then counts. The nearest folders come first.
      if (seen++ == kMostFolders) return place->second;
      for (const fs::path& child : folders_in(parent)) {
        bool holds_definitions =
            std::find(folders.begin(), folders.end(), child.filename()) != folders.end();
        if (holds_definitions) {
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

std::vector<std::string> names_of(const DefinitionFiles& language, const std::string& name) {
  std::vector<std::string> names = {name};
  if (!language.later_names) return names;
  for (std::string& later : language.later_names(name)) names.push_back(std::move(later));
  return names;
}

}  // namespace kitbag
