#include "server/page/panels.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>

#include "kitbag/error.h"
#include "kitbag/escape.h"
#include "server/page/page.h"

// As in page.cpp, a name from a request is looked up and never joined to a path: what is compared
// with it are the names that the folder lists. Symbolic links are not followed, nor are hidden
// files shown.

namespace kitbag::server {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kRoot = "panels";
constexpr std::string_view kModule = "panel.js";
constexpr std::uintmax_t kMostPanelBytes = std::uintmax_t{16} << 20;
constexpr std::size_t kMostName = 64;

/// What stands in URLs and in layouts, where a space ends it.
bool is_panel_name(std::string_view name) {
  auto may_stand = [](char each) {
    return (each >= 'a' && each <= 'z') || (each >= 'A' && each <= 'Z') ||
           (each >= '0' && each <= '9') || each == '-' || each == '_';
  };
  return !name.empty() && name.size() <= kMostName &&
         std::all_of(name.begin(), name.end(), may_stand);
}

/// What is in a folder by its name, sorted; without hidden files and symbolic links.
std::map<std::string, fs::directory_entry, std::less<>> entries(const fs::path& folder) {
  std::map<std::string, fs::directory_entry, std::less<>> found;
  std::error_code failure;
  for (fs::directory_iterator at(folder, failure), end; !failure && at != end;
       at.increment(failure)) {
    std::string name = at->path().filename().string();
    std::error_code ignored;
    if (!name.starts_with('.') && !at->is_symlink(ignored)) found.emplace(std::move(name), *at);
  }
  return found;
}

/// The panels by name, and their folders.
std::map<std::string, fs::path, std::less<>> panels_in(const std::vector<std::string>& folders) {
  std::map<std::string, fs::path, std::less<>> panels;
  for (const std::string& folder : folders) {
    for (const auto& [name, entry] : entries(folder)) {
      std::error_code failure;
      if (!is_panel_name(name) || !entry.is_directory(failure)) continue;
      auto inside = entries(entry.path());
      auto module = inside.find(kModule);
      if (module == inside.end() || !module->second.is_regular_file(failure)) continue;
      panels.emplace(name, entry.path());
    }
  }
  return panels;
}

Response list_of(const Request& request, const std::vector<std::string>& folders) {
  std::string text;
  for (const auto& [name, folder] : panels_in(folders)) {
    text += fmt::format("{}{{\"name\": {}}}", text.empty() ? "" : ", ", json_quoted(name));
  }
  return page_answer(request, page_file("panels.json", "[" + text + "]\n"));
}

/// The file that the rest of a path names in a folder; "" if there is none.
fs::path file_in(fs::path folder, std::span<const std::string> rest) {
  for (std::size_t i = 0; i < rest.size(); ++i) {
    auto inside = entries(folder);
    auto found = inside.find(rest[i]);
    if (found == inside.end()) return {};
    std::error_code failure;
    bool is_last = i + 1 == rest.size();
    if (is_last ? !found->second.is_regular_file(failure) : !found->second.is_directory(failure)) {
      return {};
    }
    folder = found->second.path();
  }
  return folder;
}

}  // namespace

std::string installed_panels() {
  std::error_code failure;
  fs::path program = fs::read_symlink("/proc/self/exe", failure);
  fs::path folder = program.parent_path().parent_path() / "share/kitbag/panels";
  return fs::is_directory(folder, failure) ? folder.string() : "";
}

PanelFolders::PanelFolders(std::vector<std::string> folders) : folders_(std::move(folders)) {
  for (const std::string& each : folders_) {
    std::error_code failure;
    if (fs::is_directory(each, failure)) continue;
    throw Error(ErrorCode::not_found, "there is no such folder of panels", each);
  }
}

bool PanelFolders::has(const Request& request) {
  return request.path.size() > 1 && request.path[0] == kRoot;
}

Response PanelFolders::handle(const Request& request) const {
  if (request.path.size() == 2 && request.path[1].empty()) return list_of(request, folders_);
  auto panels = panels_in(folders_);
  auto panel = panels.find(request.path[1]);
  fs::path path;
  // Folders are listed at each request: a panel that was put there now is found without a restart.
  if (panel != panels.end() && request.path.size() > 2) {
    path = file_in(panel->second, std::span(request.path).subspan(2));
  }
  std::error_code failure;
  if (path.empty()) return error_response(404, "there is no such file of a panel");
  if (fs::file_size(path, failure) > kMostPanelBytes || failure) {
    return error_response(404, "a file of a panel has at most 16 MiB");
  }
  std::ifstream in(path, std::ios::binary);
  std::string text(std::istreambuf_iterator<char>(in), {});
  return page_answer(request, page_file(path.filename().string(), text));
}

}  // namespace kitbag::server
