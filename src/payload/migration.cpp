#include <fmt/format.h>

#include <algorithm>

#include "base/yaml.h"
#include "kitbag/error.h"
#include "kitbag/transcode.h"

// Rules that people write for what the definitions do not say:
//
//     types:                                 # old name: new name
//       old_msgs/Scan: test_msgs/Sweep
//     fields:                                # by the new type; old field: new field
//       test_msgs/Sweep: {ranges: distances}
//     fill:                                  # by the new type; new field: its value
//       test_msgs/Sweep: {note: from a scan, gains: [1, 2]}
//
// Whether types and fields exist is checked later, when a channel has them; a section that is
// misspelt is an error here.

namespace kitbag {

namespace {

/// Rules are written by hand.
constexpr YamlLimits kLimits = {.bytes = 1 << 20, .values = 100'000, .depth = 16};

[[noreturn]] void fail(const std::string& what, const Yaml& at) {
  throw Error(ErrorCode::invalid, fmt::format("rules, line {}: {}", std::max(at.line, 1U), what));
}

std::string scalar_of(const Yaml& node) {
  if (!node.is_scalar()) fail("expected a text", node);
  return node.scalar;
}

/// A value as it is written in definitions: a list in brackets.
std::string value_of(const Yaml& node) {
  if (!node.is_list()) return scalar_of(node);
  std::string text;
  for (const Yaml& each : node.parts) text += (text.empty() ? "" : ", ") + value_of(each);
  return "[" + text + "]";
}

/// Calls `take(key, value)` for the entries of `node`, which must be a map.
template <class Take>
void for_each_entry(const Yaml& node, Take take) {
  if (!node.is_map()) fail("expected a map", node);
  for (std::size_t i = 0; i + 1 < node.parts.size(); i += 2) {
    take(node.parts[i], node.parts[i + 1]);
  }
}

std::map<std::string, std::string> map_of(const Yaml& node, bool has_lists = false) {
  std::map<std::string, std::string> found;
  for_each_entry(node, [&](const Yaml& key, const Yaml& value) {
    found[scalar_of(key)] = has_lists ? value_of(value) : scalar_of(value);
  });
  return found;
}

}  // namespace

Migration parse_migration(const std::string& text) {
  Migration migration;
  Yaml root;
  try {
    root = load_yaml(text, kLimits);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::corrupt) throw;
    throw Error(ErrorCode::invalid, "rules, " + error.message());
  }
  for_each_entry(root, [&](const Yaml& key, const Yaml& rules) {
    std::string section = scalar_of(key);
    if (section == "types") {
      migration.types = map_of(rules);
      return;
    }
    if (section != "fields" && section != "fill") {
      fail(fmt::format("unknown section \"{}\"; expected types, fields or fill", section), key);
    }
    for_each_entry(rules, [&](const Yaml& type, const Yaml& its_rules) {
      auto& into = section == "fields" ? migration.fields : migration.fills;
      into[scalar_of(type)] = map_of(its_rules, section == "fill");
    });
  });
  return migration;
}

}  // namespace kitbag
