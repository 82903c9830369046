#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "kitbag/type.h"
#include "language/ros2idl/tokens.h"

namespace kitbag::ros2idl {

/// "@default (value=5)": its name, and what stands in the parentheses by name; what has none is
/// under "value".
struct Annotation {
  std::string name;
  std::map<std::string, std::vector<Token>> values;

  const Token* value() const {
    auto found = values.find("value");
    return found == values.end() || found->second.empty() ? nullptr : &found->second.back();
  }
};
using Annotations = std::vector<Annotation>;

/// The one of that name, or null.
const Annotation* find(const Annotations& annotations, std::string_view name);
/// Members get ids that are hashes of their names.
bool is_autoid_hash(const Annotations& annotations);
/// Of an enumeration or bit mask; 32 where nothing is said.
std::int64_t bit_bound(const Annotations& annotations);
Extensibility extensibility_of(const Annotations& annotations, Extensibility by_default);
/// Gives the last of `fields` their ids, one for each of `annotations`: by @id or @hashid; else one
/// more than the one before, or a hash of the name.
void number_members(std::vector<Field>& fields, const std::vector<Annotations>& annotations,
                    bool is_hashed);
/// The value of type `type` that the tokens say.
Literal literal_of(const Type& type, const std::vector<Token>& tokens);

}  // namespace kitbag::ros2idl
