#include "language/ros2/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace kitbag::ros2 {

std::string full_name(std::string_view name, std::string_view package) {
  bool is_wire_name = name.find("dds_::") != std::string_view::npos;
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0; begin <= name.size();) {
    std::size_t end = std::min(name.find_first_of("/:", begin), name.size());
    std::string_view part = name.substr(begin, end - begin);
    bool is_namespace = is_wire_name && part == "dds_";
    if (!part.empty() && !is_namespace) parts.push_back(part);
    begin = end + 1;
  }
  if (parts.empty()) return {};
  if (is_wire_name && parts.back().ends_with('_')) parts.back().remove_suffix(1);
  if (parts.size() == 1 && !package.empty()) return fmt::format("{}/msg/{}", package, parts[0]);
  if (parts.size() == 2) return fmt::format("{}/msg/{}", parts[0], parts[1]);
  return fmt::format("{}", fmt::join(parts, "/"));
}

std::string short_name(std::string_view name) {
  constexpr std::string_view kFolder = "/msg/";
  std::size_t folder = name.find(kFolder);
  if (folder == std::string_view::npos) return std::string(name);
  return fmt::format("{}/{}", name.substr(0, folder), name.substr(folder + kFolder.size()));
}

std::string_view package_of(std::string_view full_name) {
  return full_name.substr(0, std::min(full_name.find('/'), full_name.size()));
}

}  // namespace kitbag::ros2
