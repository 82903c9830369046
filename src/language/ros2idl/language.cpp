#include "language/ros2idl/language.h"

#include "language/ros/names.h"
#include "language/ros2/adapt.h"
#include "language/ros2/type_hash.h"
#include "language/ros2idl/parser.h"
#include "language/ros2idl/printer.h"

namespace kitbag::ros2idl {

Language language() {
  Language made;
  made.name = "ros2idl";
  made.parse = parse;
  made.print = [](const Type& type) { return Schema{type.name, "ros2idl", print(type)}; };
  made.adapt = ros2::adapt;
  made.metadata = [](const Schema&, const Type& type) -> std::map<std::string, std::string> {
    return {{"topic_type_hash", ros2::type_hash(type)}};
  };
  made.metadata_keys = {"topic_type_hash", "offered_qos_profiles"};
  made.short_name = ros::short_name;
  made.aliases = {"omgidl"};
  return made;
}

}  // namespace kitbag::ros2idl
