#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include "kitbag/error.h"
#include "kitbag/transcode.h"

namespace kitbag {

namespace {

[[noreturn]] void fail(const std::string& what, const YAML::Mark& mark) {
  throw Error(ErrorCode::invalid, fmt::format("rules, line {}: {}", mark.line + 1, what));
}

std::string text_of(const YAML::Node& node) {
  if (!node.IsScalar()) fail("a text should be here", node.Mark());
  return node.Scalar();
}

/// A value as it is written in definitions: a list in brackets.
std::string value_of(const YAML::Node& node) {
  if (!node.IsSequence()) return text_of(node);
  std::string text;
  for (const YAML::Node& each : node) text += (text.empty() ? "" : ", ") + value_of(each);
  return "[" + text + "]";
}

std::map<std::string, std::string> map_of(const YAML::Node& node, bool has_lists = false) {
  if (!node.IsMap()) fail("a map should be here", node.Mark());
  std::map<std::string, std::string> found;
  for (const auto& pair : node) {
    found[text_of(pair.first)] = has_lists ? value_of(pair.second) : text_of(pair.second);
  }
  return found;
}

}  // namespace

Migration parse_migration(const std::string& text) {
  Migration migration;
  try {
    YAML::Node root = YAML::Load(text);
    if (!root.IsMap()) fail("a map should be here", root.Mark());
    for (const auto& pair : root) {
      std::string section = text_of(pair.first);
      if (section == "types") {
        migration.types = map_of(pair.second);
        continue;
      }
      if (section != "fields" && section != "fill") {
        fail(fmt::format("\"{}\" is none of types, fields and fill", section), pair.first.Mark());
      }
      if (!pair.second.IsMap()) fail("a map should be here", pair.second.Mark());
      for (const auto& type : pair.second) {
        auto& into = section == "fields" ? migration.fields : migration.fills;
        into[text_of(type.first)] = map_of(type.second, section == "fill");
      }
    }
  } catch (const YAML::Exception& error) {
    fail(error.msg, error.mark);
  }
  return migration;
}

}  // namespace kitbag
