#include "language/ros2msg/language.h"

#include "language/ros/definition_files.h"
#include "language/ros/names.h"
#include "language/ros2/adapt.h"
#include "language/ros2/type_hash.h"
#include "language/ros2msg/full_text.h"
#include "language/ros2msg/parser.h"
#include "language/ros2msg/types.h"

namespace kitbag::ros2msg {

namespace {

TypePtr parse_schema(const Schema& schema) {
  return type_of(schema.name, parse(schema.name, schema.text));
}

std::vector<std::string> fingerprints(const Schema& schema) {
  return {ros2::type_hash(*parse_schema(schema))};
}

DefinitionFiles files() {
  DefinitionFiles made = ros::definition_files();
  made.full_text = full_text;
  made.fingerprint = "type hash";
  made.fingerprint_key = "topic_type_hash";
  made.fingerprints = fingerprints;
  return made;
}

}  // namespace

Language language() {
  Language made;
  made.name = "ros2msg";
  made.parse = parse_schema;
  made.print = [](const Type& type) { return Schema{type.name, "ros2msg", print(type)}; };
  made.adapt = ros2::adapt;
  made.metadata = [](const Schema&, const Type& type) -> std::map<std::string, std::string> {
    return {{"topic_type_hash", ros2::type_hash(type)}};
  };
  made.metadata_keys = {"topic_type_hash", "offered_qos_profiles"};
  made.short_name = ros::short_name;
  made.files = files();
  return made;
}

}  // namespace kitbag::ros2msg
