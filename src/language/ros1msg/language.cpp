#include "language/ros1msg/language.h"

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

}  // namespace

Language language() {
  Language made;
  made.name = "ros1msg";
  made.parse = [](const Schema& schema) { return type_of(parse(schema.name, schema.text)); };
  made.print = [](const Type& type) { return Schema{type.name, "ros1msg", print(type)}; };
  made.adapt = adapt;
  made.metadata = metadata;
  made.metadata_keys = {"md5sum", "latching"};
  made.files = DefinitionFiles{full_text, "MD5 sum", "md5sum", fingerprints};
  return made;
}

}  // namespace kitbag::ros1msg
