#include "base/path.h"

namespace kitbag {

std::string_view file_name(std::string_view path) {
  return path.substr(path.rfind('/') + 1);  // all of it if there is no folder
}

std::string_view parent_folder(std::string_view path) {
  std::size_t slash = path.rfind('/');
  if (slash == std::string_view::npos) return {};
  std::string_view folder = path.substr(0, slash);
  // The folder of "memory://x" is "memory://", as that of "/x" is "/".
  return folder.empty() || folder.ends_with(":/") ? path.substr(0, slash + 1) : folder;
}

std::string_view extension(std::string_view path) {
  std::string_view name = file_name(path);
  std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos || dot == 0 || name == "..") return {};
  return name.substr(dot);
}

std::string_view stem(std::string_view path) {
  std::string_view name = file_name(path);
  name.remove_suffix(extension(name).size());
  return name;
}

std::string join(std::string_view folder, std::string_view name) {
  if (folder.empty() || name.starts_with('/')) return std::string(name);
  std::string path(folder);
  if (!path.ends_with('/')) path += '/';
  return path.append(name);
}

std::string path_in(std::string_view folder, std::string_view name) {
  std::string path(folder);
  if (!path.ends_with('/')) path += '/';
  return path.append(name);
}

std::string without_slash(std::string_view path) {
  while (path.size() > 1 && path.ends_with('/') && !path.ends_with("://")) path.remove_suffix(1);
  return std::string(path);
}

}  // namespace kitbag
