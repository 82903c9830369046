#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kitbag/type.h"

namespace kitbag::ros2msg {

/// Limits of one text.
inline constexpr std::size_t kMaxTextBytes = 4 << 20;
inline constexpr std::size_t kMaxDefinitions = 4096;
inline constexpr std::size_t kMaxDeclarations = 1 << 17;

enum class Array { none, fixed, bounded, unbounded };

struct Field {
  std::string type;              ///< of one element, as written, without its bound
  std::uint64_t text_bound = 0;  ///< of a string; 0: none
  Array array = Array::none;
  std::uint64_t length = 0;  ///< of the array
  std::string name;
  std::optional<std::string> default_text = std::nullopt;  ///< as written
  bool is_key = false;
  bool is_optional = false;
  Alias alias = {};  ///< see kAlias
};

/// The beginning of a comment after a field or constant that gives its ROS 1 form: its name,
/// preceded by its type if that is not the same word.
inline constexpr std::string_view kAlias = "in ROS 1: ";

struct Definition {
  std::string name;  ///< "std_msgs/msg/Header"
  std::vector<Field> fields;
  std::vector<Constant> constants;
};

/// By full name.
using Definitions = std::map<std::string, Definition>;

/// Parses `text`, the definition of `name`, and those behind it. Services and actions give the
/// messages that they consist of: `pkg/srv/Name_Request`, `_Response`, `_Event`;
/// `pkg/action/Name_Goal` and so on. Throws Error (corrupt) with the line.
Definitions parse(std::string_view name, std::string_view text);

/// The kind of a primitive type as written, without brackets or bound.
std::optional<Kind> kind_of(std::string_view word);

}  // namespace kitbag::ros2msg
