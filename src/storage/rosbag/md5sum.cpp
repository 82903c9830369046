#include "storage/rosbag/md5sum.h"

#include "kitbag/error.h"
#include "language/ros1msg/md5.h"

namespace kitbag::rosbag {

std::string md5sum_of(const Channel& channel) {
  auto known = channel.metadata.find("md5sum");
  if (known != channel.metadata.end()) return known->second;
  const Schema* schema = channel.schema.get();
  // A text without anything is also how a bag says that it does not have the definition.
  if (!schema || schema->language != "ros1msg" || schema->text.empty()) return "*";
  try {
    return ros1msg::md5sum(ros1msg::parse(schema->name, schema->text));
  } catch (const Error&) {
    return "*";  // a definition that is not whole
  }
}

}  // namespace kitbag::rosbag
