#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "kitbag/type.h"

namespace kitbag {

/// Converts types of one world to types of another. What is specific to a world is in its adapter;
/// this class makes each type once, gives them distinct names, and refuses types that contain
/// themselves.
class TypeAdapter {
 public:
  /// `world` is what errors call it: "ROS 1".
  explicit TypeAdapter(std::string_view world) : world_(world) {}
  virtual ~TypeAdapter() = default;
  TypeAdapter(const TypeAdapter&) = delete;
  TypeAdapter& operator=(const TypeAdapter&) = delete;

  /// Throws Error (unsupported) for a type that is not a structure, or that contains something the
  /// world does not have.
  TypePtr adapt(const Type& type);

 protected:
  /// The counterpart of a part of the type.
  const Type& of(const Type& type);
  TypeBuilder& builder() { return builder_; }
  std::string_view world() const { return world_; }

  /// The counterpart of a scalar, an enumeration or a text; by default itself, and the integer type
  /// of an enumeration.
  virtual const Type& plain(const Type& type);
  virtual const Type& list(const Type& type);
  /// The name of a structure.
  virtual std::string name_of(const std::string& name) const = 0;
  virtual const Type& make_time(Role role) = 0;
  /// The fields of the structure that is to have that name.
  virtual std::vector<Field> fields_of(const Type& type, const std::string& name) = 0;
  virtual std::vector<Constant> constants_of(const Type& type) const { return type.constants; }

 private:
  const Type& structure(const Type& type);
  const Type& message(const Type& type);
  const Type& time(Role role);

  std::string_view world_;
  TypeBuilder builder_;
  std::map<const Type*, const Type*> made_;
  std::map<Role, const Type*> times_;
  std::set<std::string> names_;
  std::map<std::string, std::size_t> numbers_;  ///< the last one behind a name
};

/// "std_msgs", "msg", "String" for "std_msgs/msg/String"; '.', '/' and "::" separate, and
/// characters that names cannot contain become '_'. At least one part: "Unknown" if there is none.
std::vector<std::string> name_parts(std::string_view name);
/// "msg", "srv" and "action", which stand between package and type in ROS 2.
bool is_interface_folder(std::string_view part);

}  // namespace kitbag
