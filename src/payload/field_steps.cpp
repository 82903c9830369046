#include "payload/field_steps.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "kitbag/error.h"
#include "kitbag/text.h"

// Paths as people write them: in conditions, for the field to print, for the columns of a table.
// find_place() follows a path through a type before there are messages, so that a name that is
// misspelt is an error, with the names that are most like it. Where a type says nothing of what is
// in it, each message decides.

namespace kitbag {

namespace {

constexpr std::size_t kMostNearest = 3;
constexpr std::size_t kMostListed = 20;

void add_paths(const Type& type, const std::string& before, std::size_t depth,
               std::vector<std::string>& paths) {
  if (depth > kMaxTypeDepth) return;
  for (const Field& field : type.fields) {
    if (paths.size() >= kMostPaths) return;
    std::string path = before + field.name;
    paths.push_back(path);
    const Type* inner = field.type;
    while (is_list(inner->kind)) {
      inner = inner->element;
      path += "[]";
    }
    if (inner->role == Role::none) add_paths(*inner, path + ".", depth + 1, paths);
  }
}

const Field* find_named(const Type& type, const std::string& name) {
  auto found = std::find_if(type.fields.begin(), type.fields.end(),
                            [&](const Field& field) { return field.name == name; });
  if (found != type.fields.end()) return &*found;
  int part = type.role == Role::none ? -1 : part_of_time(name);
  bool has_part = part >= 0 && static_cast<std::size_t>(part) < type.fields.size();
  return has_part ? &type.fields[static_cast<std::size_t>(part)] : nullptr;
}

/// `type` is the one in which the last of `count` steps leads nowhere.
[[noreturn]] void throw_missing(const Type& root, const Type& type, const FieldSteps& steps,
                                std::size_t count) {
  std::string path = path_of(steps, steps.size());
  const FieldStep& step = steps[count - 1];
  if (step.name.empty()) {
    std::string list = path_of(steps, count - 1);
    throw Error(ErrorCode::not_found,
                is_list(type.kind) ? fmt::format("{}: {} has {} elements", path, list, type.length)
                                   : fmt::format("{}: {} is no list", path, list));
  }
  std::string text =
      fmt::format("{} has no field {} (in \"{}\")", type_name(type), step.name, path);
  if (path.starts_with('/')) text += "; leave out the topic, and select it instead";
  auto nearest = nearest_texts(path, all_paths(root), kMostNearest);
  if (nearest.empty() && steps.size() > 1) {
    nearest = nearest_texts(step.name, all_paths(root), kMostNearest);
  }
  if (!nearest.empty()) {
    throw Error(ErrorCode::not_found,
                fmt::format("{}; similar: {}", text, fmt::join(nearest, ", ")));
  }
  if (type.fields.empty()) throw Error(ErrorCode::not_found, text);
  std::vector<std::string> known;
  for (const Field& field : type.fields) {
    if (known.size() < kMostListed) known.push_back(field.name);
  }
  throw Error(ErrorCode::not_found,
              fmt::format("{}; available fields: {}{}", text, fmt::join(known, ", "),
                          type.fields.size() > known.size() ? ", ..." : ""));
}

}  // namespace

FieldSteps field_steps(std::string_view path) {
  auto fail = [&] {
    throw Error(ErrorCode::invalid, fmt::format("invalid field path \"{}\"", path));
  };
  FieldSteps steps;
  for (std::size_t at = 0; at < path.size();) {
    if (path[at] == '[') {
      std::size_t end = path.find(']', at);
      if (end == std::string_view::npos || steps.empty()) fail();
      if (end > at + 1) {
        FieldStep& step = steps.emplace_back();
        auto parsed = std::from_chars(path.data() + at + 1, path.data() + end, step.element);
        if (parsed.ec != std::errc() || parsed.ptr != path.data() + end) fail();
      }
      at = end + 1;
    } else {
      if (at > 0 && path[at++] != '.') fail();
      std::size_t end = std::min(path.find_first_of(".[]", at), path.size());
      if (end == at) fail();
      steps.push_back({.name = std::string(path.substr(at, end - at))});
      at = end;
    }
  }
  if (steps.empty() || path.back() == '.') fail();
  return steps;
}

std::string path_of(const FieldSteps& steps, std::size_t count) {
  std::string path;
  for (std::size_t i = 0; i < count; ++i) {
    if (steps[i].name.empty()) {
      path += fmt::format("[{}]", steps[i].element);
    } else {
      path += (path.empty() ? "" : ".") + steps[i].name;
    }
  }
  return path;
}

int part_of_time(std::string_view name) {
  if (name == "sec" || name == "secs" || name == "seconds") return 0;
  if (name == "nsec" || name == "nsecs" || name == "nanosec" || name == "nanos") return 1;
  return -1;
}

FieldPlace find_place(const Type& type, const FieldSteps& steps) {
  FieldPlace place{steps, &type};
  for (std::size_t i = 0; i < steps.size() && place.type->kind != Kind::any; ++i) {
    const FieldStep& step = steps[i];
    const Type* at = place.type;
    if (step.name.empty()) {
      bool is_fixed = at->kind == Kind::array;
      auto length = static_cast<std::int64_t>(at->length);
      bool is_outside = is_fixed && (step.element >= length || step.element < -length);
      if (!is_list(at->kind) || is_outside) throw_missing(type, *at, steps, i + 1);
      place.type = at->element;
      continue;
    }
    while (is_list(at->kind)) {
      place.has_several = true;
      at = at->element;
    }
    if (at->kind == Kind::any) {
      place.type = at;
      break;
    }
    const Field* field = find_named(*at, step.name);
    if (!field) throw_missing(type, *at, steps, i + 1);
    // Whoever follows the path compares it with the names that the type has.
    place.steps[i].name = field->name;
    place.type = field->type;
  }
  if (place.type->kind == Kind::any) place.type = nullptr;
  return place;
}

std::vector<std::string> all_paths(const Type& type) {
  std::vector<std::string> paths;
  add_paths(type, {}, 0, paths);
  return paths;
}

}  // namespace kitbag
