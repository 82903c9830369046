#include "language/ros1msg/language.h"

#include "language/ros/definition_files.h"
#include "language/ros/names.h"
#include "language/ros1msg/full_text.h"
#include "language/ros1msg/md5.h"
#include "language/ros1msg/types.h"

namespace kitbag::ros1msg {

namespace {

std::map<std::string, std::string> metadata(const Schema& schema, const Type&) {
  return {{"md5sum", md5sum(parse(schema.name, schema.text))}};
}

std::vector<std::string> fingerprints(const Schema& schema) {
  Definitions definitions = parse(schema.name, schema.text);
  return {md5sum(definitions), md5sum_v1(definitions)};
}

DefinitionFiles files() {
  DefinitionFiles made = ros::definition_files();
  made.full_text = full_text;
  made.fingerprint = "MD5 sum";
  made.fingerprint_key = "md5sum";
  made.fingerprints = fingerprints;
  made.are_in_every_bag = true;
  return made;
}

}  // namespace

Language language() {
  Language made;
  made.name = "ros1msg";
  made.parse = [](const Schema& schema) { return type_of(parse(schema.name, schema.text)); };
  made.print = [](const Type& type) { return Schema{type.name, "ros1msg", print(type)}; };
  made.adapt = adapt;
  made.metadata = metadata;
  made.metadata_keys = {"md5sum", "latching"};
  made.short_name = ros::short_name;
  made.files = files();
  return made;
}

}  // namespace kitbag::ros1msg
