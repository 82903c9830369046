#include "language/ros/definition_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/lines.h"
#include "language/ros/names.h"

// Bags of both generations of ROS have definitions in this form. The names behind "MSG:" are short
// ones (without /msg/): ROS 1 has no others, and rosbag2 writes them for ROS 2's messages too.

namespace kitbag::ros {

namespace {

void collect(const Type& type, bool are_times_messages, std::vector<const Type*>& found) {
  for (const Field& field : type.fields) {
    const Type* part = is_list(field.type->kind) ? field.type->element : field.type;
    bool is_message =
        part->kind == Kind::structure && (are_times_messages || part->role == Role::none);
    if (!is_message || std::find(found.begin(), found.end(), part) != found.end()) continue;
    found.push_back(part);
    collect(*part, are_times_messages, found);
  }
}

}  // namespace

bool is_separator(std::string_view line) {
  line = trimmed(line);
  return line.size() > 1 && line.find_first_not_of('=') == std::string_view::npos;
}

std::string nested_head(std::string_view name) {
  return fmt::format("\n{:=<80}\nMSG: {}\n", "", short_name(name));
}

std::string whole_text(const Type& root, const std::function<std::string(const Type&)>& body,
                       bool are_times_messages) {
  std::vector<const Type*> nested;
  collect(root, are_times_messages, nested);
  std::string text = body(root);
  for (const Type* type : nested) text += nested_head(type->name) + body(*type);
  return text;
}

}  // namespace kitbag::ros
