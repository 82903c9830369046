#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kitbag/type.h"

namespace kitbag {

/// A step of the path of a field: to a field by its name, or to an element of a list.
struct FieldStep {
  std::string name = {};     ///< empty: an element
  std::int64_t element = 0;  ///< negative: from the end, -1 is the last one

  bool operator==(const FieldStep&) const = default;
};
using FieldSteps = std::vector<FieldStep>;

/// Returns the steps of "poses[0].position.x" or "poses[].position.x". `[]` stands for all
/// elements, as if it were not there. Throws Error (invalid) for what is no path.
FieldSteps field_steps(std::string_view path);

/// Returns "poses[0].position.x" of the first `count` steps.
std::string path_of(const FieldSteps& steps, std::size_t count);

/// What a path leads to in a type.
struct FieldPlace {
  FieldSteps steps;            ///< with the names that the type has
  const Type* type = nullptr;  ///< null: not known, since the payload describes itself
  bool has_several = false;    ///< it goes through a list, so there is a value for each element
};

/// Which part of a time or duration a name means in ROS 1, ROS 2, protobuf or Python: 0 the seconds
/// and 1 the rest; -1: none.
int part_of_time(std::string_view name);

/// Returns what `steps` lead to. In times and durations, the parts are found by any of the names
/// that part_of_time() knows. Throws Error (not_found) if there is no such field; the message names
/// those that are most like it.
FieldPlace find_place(const Type& type, const FieldSteps& steps);

/// The most that all_paths() returns: they are listed for people, and compared with what they have
/// misspelt one by one.
inline constexpr std::size_t kMostPaths = 5000;

/// Returns the paths of all fields of `type`, those inside of structures and lists included, as
/// "poses[].position.x": kMostPaths at most, and of kMaxTypeDepth levels of structures below the
/// first. Parts of times are not listed.
std::vector<std::string> all_paths(const Type& type);

}  // namespace kitbag
