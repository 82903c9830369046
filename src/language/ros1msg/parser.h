#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "kitbag/type.h"

/// Message definitions of ROS 1 (https://wiki.ros.org/msg): the text of a .msg file, or the form in
/// which bags hold it, where the texts of all nested types follow behind separators.
namespace kitbag::ros1msg {

/// Limits of one text; the largest real one seen has 30 KiB.
inline constexpr std::size_t kMaxTextBytes = 4 << 20;
inline constexpr std::size_t kMaxDefinitions = 4096;
inline constexpr std::size_t kMaxDeclarations = 1 << 17;
/// How deep types may be nested.
inline constexpr std::size_t kMaxNesting = 64;

enum class Array { none, dynamic, fixed };

struct Field {
  std::string type;      ///< of one element, as written: "uint8", "Header", "geometry_msgs/Point"
  std::string brackets;  ///< as written: "", "[]", "[3]"
  std::string name;
  Array array = Array::none;
  std::uint32_t length = 0;  ///< of a fixed array
};

struct Constant {
  std::string type;
  std::string name;
  std::string value;        ///< as written; of a string all that is left of the line, `#` too
  std::string declaration;  ///< "uint8 DEBUG=1": the line that goes into the MD5 sum
};

/// One message.
struct Definition {
  std::string name;  ///< "std_msgs/Header"
  std::string text;  ///< its own text, comments included
  std::vector<Constant> constants;
  std::vector<Field> fields;
};

/// A message, and everything else that its text defines.
using Definitions = std::vector<Definition>;

/// Parses the definition of `name`, and those behind it where `text` is a bag's. Throws Error
/// (corrupt), with the line; nested types need not be there.
Definitions parse(std::string_view name, std::string_view text);

/// A type of the language itself, such as uint8 and time, and no message.
bool is_builtin(std::string_view type);

/// The kind of a primitive type: of those built in, all but time and duration.
std::optional<Kind> kind_of(std::string_view word);

/// The full names that the type of `field` may mean in a message of `package`, the likeliest first.
std::vector<std::string> meanings(const Field& field, std::string_view package);

/// "std_msgs" of "std_msgs/Header"; "" where there is none.
std::string_view package_of(std::string_view name);

/// Definitions by name; of several with one name, the last. They must outlive it.
using Names = std::unordered_map<std::string_view, const Definition*>;
Names by_name(const Definitions& definitions);

/// The definition of the type that `field` of `user` has, or null.
const Definition* find(const Names& names, const Field& field, const Definition& user);

}  // namespace kitbag::ros1msg
