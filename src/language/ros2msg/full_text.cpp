#include "language/ros2msg/full_text.h"

#include <fmt/format.h>

#include <set>

#include "kitbag/error.h"
#include "language/ros/definition_text.h"
#include "language/ros/names.h"
#include "language/ros2msg/parser.h"
#include "language/ros2msg/types.h"

// Messages that a text has already, as parts of its own service or action, are not looked for. A
// type that no folder has is missing, unless it is one of the few that all of ROS 2 knows: those
// are parsed without their text.

namespace kitbag::ros2msg {

namespace {

class Collector {
 public:
  Collector(std::string text, const FindText& find) : whole_(std::move(text)), find_(find) {}

  void collect(const std::string& name, const std::string& text, std::size_t depth = 0) {
    if (depth > kMaxTypeDepth) {
      throw Error(ErrorCode::corrupt, fmt::format("{} contains itself", name));
    }
    auto definitions = parse(name, text);
    for (const auto& [own, definition] : definitions) seen_.insert(own);
    for (const auto& [own, definition] : definitions) {
      for (const Field& field : definition.fields) {
        if (kind_of(field.type)) continue;
        add(ros::full_name(field.type, ros::package_of(own)), name, depth);
      }
    }
  }

  std::string whole() { return std::move(whole_); }

 private:
  void add(const std::string& name, const std::string& user, std::size_t depth) {
    if (!seen_.insert(name).second) return;
    auto text = find_(name);
    if (!text && is_known(name)) return;
    if (!text) {
      throw Error(ErrorCode::not_found,
                  fmt::format("the definition of {} needs {}, which is missing", user, name));
    }
    whole_ += ros::nested_head(name) + *text;
    collect(name, *text, depth + 1);
  }

  std::string whole_;
  const FindText& find_;
  std::set<std::string> seen_;
};

}  // namespace

std::string full_text(const std::string& name, const std::string& text, const FindText& find) {
  Collector collector(text, find);
  collector.collect(ros::full_name(name), text);
  return collector.whole();
}

}  // namespace kitbag::ros2msg
