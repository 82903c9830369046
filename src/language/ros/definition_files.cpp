#include "language/ros/definition_files.h"

#include <string_view>
#include <utility>

#include "language/ros/names.h"

namespace kitbag::ros {

std::optional<DefinitionPlace> definition_place(const std::string& name) {
  std::string own = short_name(name);
  std::string package(package_of(own));
  for (std::string kind : {"srv", "action"}) {
    std::string begin = package + "/" + kind + "/";
    if (!own.starts_with(begin)) continue;
    std::string type = whole_name(own.substr(begin.size()));
    if (!is_type_name(package + "/" + type)) return std::nullopt;
    return DefinitionPlace{package, kind, type + "." + kind, true};
  }
  if (package == own || !is_type_name(own)) return std::nullopt;
  return DefinitionPlace{package, "msg", own.substr(package.size() + 1) + ".msg"};
}

/// Types that have moved to other packages: folders have them under their later names only.
std::vector<std::string> later_names(const std::string& name) {
  constexpr std::pair<std::string_view, std::string_view> kRenamed[] = {
      {"roslib/Header", "std_msgs/Header"},
      {"roslib/Log", "rosgraph_msgs/Log"},
      {"roslib/Clock", "rosgraph_msgs/Clock"},
  };
  constexpr std::string_view kOldest = "rostools/";
  std::vector<std::string> names;
  std::string last = short_name(name);
  if (last.starts_with(kOldest)) {
    last = "roslib/" + last.substr(kOldest.size());
    names.push_back(last);
  }
  for (const auto& [before, after] : kRenamed) {
    if (last == before) names.emplace_back(after);
  }
  return names;
}

DefinitionFiles definition_files() {
  DefinitionFiles files;
  files.place = definition_place;
  files.folders = {"msg", "srv", "action"};
  files.later_names = later_names;
  return files;
}

}  // namespace kitbag::ros
