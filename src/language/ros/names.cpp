#include "language/ros/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

namespace kitbag::ros {

namespace {

/// A message that middlewares generate for a service or an action.
struct Part {
  std::string_view suffix;
  std::string_view folder;
};
/// A suffix that is the end of another one comes after it.
constexpr std::array<Part, 13> kParts = {{{"_SendGoal_Request", "action"},
                                          {"_SendGoal_Response", "action"},
                                          {"_SendGoal_Event", "action"},
                                          {"_GetResult_Request", "action"},
                                          {"_GetResult_Response", "action"},
                                          {"_GetResult_Event", "action"},
                                          {"_FeedbackMessage", "action"},
                                          {"_Goal", "action"},
                                          {"_Result", "action"},
                                          {"_Feedback", "action"},
                                          {"_Request", "srv"},
                                          {"_Response", "srv"},
                                          {"_Event", "srv"}}};

/// Null for a message of its own.
const Part* part_of(std::string_view name) {
  auto found = std::find_if(kParts.begin(), kParts.end(),
                            [&](const Part& part) { return name.ends_with(part.suffix); });
  return found == kParts.end() ? nullptr : &*found;
}

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

}  // namespace

bool is_name(std::string_view text) {
  auto is_part = [](char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '_'; };
  return !text.empty() && is_letter(text.front()) && std::all_of(text.begin(), text.end(), is_part);
}

bool is_type_name(std::string_view text) {
  std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return is_name(text);
  return is_name(text.substr(0, slash)) && is_name(text.substr(slash + 1));
}

std::string full_name(std::string_view name, std::string_view package) {
  // What DDS calls std_msgs/msg/String is std_msgs::msg::dds_::String_.
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

std::string_view package_of(std::string_view name) {
  return name.substr(0, std::min(name.find('/'), name.size()));
}

std::string whole_name(std::string_view name) {
  const Part* part = part_of(name);
  return std::string(name.substr(0, name.size() - (part ? part->suffix.size() : 0)));
}

std::string_view folder_of(std::string_view name) {
  const Part* part = part_of(name);
  return part ? part->folder : "msg";
}

}  // namespace kitbag::ros
