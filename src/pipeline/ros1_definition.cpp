#include "pipeline/ros1_definition.h"

#include <algorithm>

#include "language/ros1msg/md5.h"

namespace kitbag {

std::string md5sum_of(const Channel& channel) {
  auto found = channel.metadata.find("md5sum");
  if (found == channel.metadata.end() || found->second.empty()) return kAnyMd5;
  std::string md5sum = found->second;
  std::transform(md5sum.begin(), md5sum.end(), md5sum.begin(),
                 [](char c) { return c >= 'A' && c <= 'F' ? static_cast<char>(c + 32) : c; });
  return md5sum;
}

bool lacks_definition(const Channel& channel) {
  if (channel.encoding != "ros1" || !channel.schema) return false;
  bool is_empty = channel.schema->text.find_first_not_of(" \t\r\n") == std::string::npos;
  return is_empty && md5sum_of(channel) != ros1msg::kEmptyMd5;
}

bool has_known_type(const Channel& channel) {
  // The second is what a bag 2.0 gets for the first, which the real rosbag cannot read.
  return channel.type() != "*" && channel.type() != "unknown/Unknown";
}

}  // namespace kitbag
