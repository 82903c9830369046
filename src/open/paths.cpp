#include "kitbag/paths.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <span>
#include <string_view>
#include <utility>

#include "base/path.h"
#include "compress/stream.h"
#include "kitbag/error.h"
#include "kitbag/open.h"
#include "kitbag/registry.h"
#include "kitbag/selector.h"
#include "model/scheme.h"

// A glob is matched part by part. Its parts before the first `*`, `?` or `[` are a folder, which is
// listed; each part selects folders to list next. From a part `**` on, everything below is asked
// for at once: a store gives such a list in far fewer requests than folder by folder.
//
// Who lists a folder of a million names gets them one by one, and may stop in between. Nothing is
// kept but what matches.

namespace kitbag {
namespace {

constexpr std::string_view kMagic = "*?[";
constexpr std::string_view kAnyFolders = "**";

using Parts = std::span<const std::string>;

bool is_magic(std::string_view text) {
  return text.find_first_of(kMagic) != std::string_view::npos;
}

/// As in a shell: a hidden name only matches a part that begins with a dot.
bool matches_part(const std::string& part, const std::string& name) {
  return (!name.starts_with('.') || part.starts_with('.')) && matches_glob(part, name);
}

std::vector<std::string> parts_of(std::string_view path) {
  std::vector<std::string> parts;
  while (!path.empty()) {
    std::string_view part = path.substr(0, path.find('/'));
    path.remove_prefix(std::min(part.size() + 1, path.size()));
    if (!part.empty()) parts.emplace_back(part);
  }
  return parts;
}

/// A glob as the folder that it begins with, and what follows it.
struct SplitGlob {
  std::string folder;  ///< with "/" at its end; empty: the current one
  std::vector<std::string> parts;
  bool is_of_folders = false;  ///< it ends with "/"
};

/// "data/2026/*/run?.bag" is the folder "data/2026/" and the parts "*" and "run?.bag".
SplitGlob split(const std::string& glob) {
  std::string_view scheme = scheme_of(glob);
  std::size_t start = scheme.empty() ? 0 : scheme.size() + 3;
  std::size_t magic = std::min(glob.find_first_of(kMagic, start), glob.size());
  std::size_t slash = magic == 0 ? std::string::npos : glob.rfind('/', magic - 1);
  std::size_t end = slash == std::string::npos ? 0 : slash + 1;
  return {glob.substr(0, end), parts_of(std::string_view(glob).substr(end)), glob.ends_with('/')};
}

bool match_all(Parts parts, Parts names) {
  if (parts.empty()) return names.empty();
  if (parts.front() == kAnyFolders) {
    if (match_all(parts.subspan(1), names)) return true;
    return !names.empty() && !names.front().starts_with('.') && match_all(parts, names.subspan(1));
  }
  return !names.empty() && matches_part(parts.front(), names.front()) &&
         match_all(parts.subspan(1), names.subspan(1));
}

class Search {
 public:
  Search(const FileSystem& files, bool is_of_folders, const std::stop_token& stop)
      : files_(files), is_of_folders_(is_of_folders), stop_(stop) {}

  /// `folder` ends with "/" or is empty.
  void search(const std::string& folder, Parts parts) {
    if (parts.front() == kAnyFolders) return search_below(folder, parts);
    if (!is_magic(parts.front())) {
      std::string path = folder + parts.front();
      if (parts.size() > 1) return search(path + "/", parts.subspan(1));
      if (auto found = files_.status(path)) add(path, *found);
      return;
    }
    std::vector<std::string> folders;
    visit(folder, [&](const FolderEntry& entry) {
      if (!matches_part(parts.front(), entry.name)) return;
      std::string path = folder + entry.name;
      if (parts.size() == 1) {
        add(path, entry.status);
      } else if (entry.status.is_folder) {
        folders.push_back(path + "/");
      }
    });
    for (const std::string& each : folders) search(each, parts.subspan(1));
  }

  std::vector<FoundPath> take() {
    std::ranges::sort(found_, {}, &FoundPath::path);
    auto is_same = [](const FoundPath& a, const FoundPath& b) { return a.path == b.path; };
    found_.erase(std::unique(found_.begin(), found_.end(), is_same), found_.end());
    return std::move(found_);
  }

 private:
  template <class Visit>
  void visit(const std::string& folder, const Visit& visit) {
    try {
      files_.visit(folder.empty() ? "." : folder, [&](const FolderEntry& entry) {
        require_not_stopped();
        visit(entry);
      });
    } catch (const Error&) {
      // What is no folder has nothing in it: the glob matches nothing.
      auto there = files_.status(folder.empty() ? "." : folder);
      if (there && there->is_folder) throw;
    }
  }

  void search_below(const std::string& folder, Parts parts) {
    static const std::string kAny = "*";
    std::vector<std::string> wanted(parts.begin(), parts.end());
    if (wanted.back() == kAnyFolders) wanted.push_back(kAny);
    std::set<std::string> folders;
    auto there = files_.status(folder.empty() ? "." : folder);
    if (!there || !there->is_folder) return;
    files_.visit_below(folder.empty() ? "." : folder, [&](const FolderEntry& entry) {
      require_not_stopped();
      std::vector<std::string> names = parts_of(entry.name);
      if (match_all(wanted, names)) add(folder + entry.name, entry.status);
      // Only files are visited. So each front part of a name is taken for a folder, which is all
      // that a folder is in a store.
      std::string above;
      for (std::size_t i = 1; i < names.size(); ++i) {
        above += (above.empty() ? "" : "/") + names[i - 1];
        if (match_all(wanted, Parts(names).first(i)) && folders.insert(above).second) {
          add(folder + above, {.is_folder = true});
        }
      }
    });
  }

  void add(const std::string& path, const FileStatus& status) {
    if (!is_of_folders_ || status.is_folder) found_.push_back({path, status});
  }

  void require_not_stopped() const {
    if (stop_.stop_requested()) throw Error(ErrorCode::cancelled, "interrupted");
  }

  const FileSystem& files_;
  bool is_of_folders_;
  std::stop_token stop_;
  std::vector<FoundPath> found_;
};

/// Of a web server: what follows `?` is no part of the name.
bool is_url(std::string_view path) {
  return scheme_of(path) == "http" || scheme_of(path) == "https";
}

[[noreturn]] void throw_no_match(const std::string& glob) {
  throw Error(ErrorCode::not_found, "nothing matches", glob);
}

bool is_hidden(const std::string& name) {
  return name.starts_with('.') || name.find("/.") != std::string::npos;
}

void add_files_in(const std::string& folder, bool is_recursive, const FileSystem& files,
                  const std::stop_token& stop, std::vector<FoundPath>& found) {
  auto add = [&](const FolderEntry& entry) {
    if (stop.stop_requested()) throw Error(ErrorCode::cancelled, "interrupted");
    if (is_hidden(entry.name)) return;
    found.push_back({folder == "." ? entry.name : path_in(folder, entry.name), entry.status});
  };
  is_recursive ? files.visit_below(folder, add) : files.visit(folder, add);
}

}  // namespace

std::string name_at(const std::string& path) {
  if (!is_url(path)) return std::string(file_name(without_slash(path)));
  std::string name = without_slash(path.substr(0, path.find_first_of("?#")));
  // The address of the whole server is no name of a file.
  if (std::count(name.begin(), name.end(), '/') < 3) return {};
  std::string decoded = location_of("http://" + std::string(file_name(name)))->path;
  bool is_name = decoded != "." && decoded != ".." && decoded.find('\0') == std::string::npos;
  return is_name ? std::string(file_name(decoded)) : std::string();
}

std::string name_in_format(const std::string& name, const std::string& format, bool is_folder,
                           const Session& session) {
  if (is_folder) return name + "/";
  const Format* chosen = format.empty() ? nullptr : find_format(session.registry(), format);
  if (!chosen) {
    bool is_packed = !stream_compression_named(extension(name)).empty();
    return is_packed ? name.substr(0, name.size() - extension(name).size()) : name;
  }
  const auto& formats = session.registry().formats;
  auto is_of_bags = [&](std::string_view text) {
    return std::ranges::any_of(formats, [&](const Format& each) { return each.extension == text; });
  };
  std::string bare = name.substr(0, name.size() - extension(name).size());
  if (is_of_bags(extension(bare))) bare.resize(bare.size() - extension(bare).size());  // run.bag.gz
  return bare.append(chosen->extension);
}

bool is_path_glob(const std::string& path, const Session& session) {
  // What exists under that very name is no glob. Nor is the URI of a live system, which may have a
  // "?".
  if (path == "-" || !is_magic(path)) return false;
  std::string_view scheme = scheme_of(path);
  if (!scheme.empty()) {
    std::vector<std::string> live = session.transport_schemes();
    if (std::ranges::find(live, scheme) != live.end()) return false;
  }
  FileSystemPtr files = session.file_system(path);
  if (!files->can_list()) return false;
  return !files->status(session.path_of(path));
}

std::vector<FoundPath> matching_paths(const std::string& glob, const Session& session,
                                      const std::stop_token& stop) {
  std::string path = session.path_of(glob);
  FileSystemPtr files = session.file_system(path);
  SplitGlob parts = split(path);
  if (parts.parts.empty()) return {};
  Search search(*files, parts.is_of_folders, stop);
  search.search(parts.folder, parts.parts);
  return search.take();
}

std::vector<std::string> expanded_paths(const std::vector<std::string>& paths,
                                        const Session& session, const std::stop_token& stop) {
  std::vector<std::string> expanded;
  for (const std::string& path : paths) {
    if (!is_path_glob(path, session)) {
      expanded.push_back(path);
      continue;
    }
    std::vector<FoundPath> found = matching_paths(path, session, stop);
    if (found.empty()) throw_no_match(path);
    for (FoundPath& each : found) expanded.push_back(std::move(each.path));
  }
  return expanded;
}

std::vector<FoundPath> list_files(const std::string& path, bool is_recursive,
                                  const Session& session, const std::stop_token& stop) {
  std::string place = session.path_of(path);
  FileSystemPtr files = session.file_system(place);
  std::vector<FoundPath> found;
  if (is_path_glob(path, session)) {
    for (FoundPath& each : matching_paths(path, session, stop)) {
      if (is_recursive && each.status.is_folder) {
        add_files_in(each.path, true, *files, stop, found);
      } else {
        found.push_back(std::move(each));
      }
    }
    if (found.empty()) throw_no_match(path);
  } else {
    auto status = files->status(place);
    if (!status) throw Error(ErrorCode::not_found, "no such file or folder", path);
    if (status->is_folder) {
      add_files_in(place, is_recursive, *files, stop, found);
    } else {
      found.push_back({place, *status});
    }
  }
  std::ranges::sort(found, {}, &FoundPath::path);
  return found;
}

// Most folders are there, and in an object store this asks for nothing.
void make_folders(const std::string& folder, const FileSystem& files) {
  std::string path = without_slash(folder);
  if (path.empty()) return;
  try {
    files.make_folder(path);
  } catch (const Error& error) {
    std::string parent(parent_folder(path));
    if (error.code() != ErrorCode::not_found || parent.empty()) throw;
    make_folders(parent, files);
    files.make_folder(path);
  }
}

}  // namespace kitbag
