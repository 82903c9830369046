#include "definitions/fingerprint.h"

#include <algorithm>

#include "kitbag/error.h"

namespace kitbag {

std::string fingerprint_of(const Channel& channel, const DefinitionFiles& files) {
  auto found = channel.metadata.find(std::string(files.fingerprint_key));
  if (found == channel.metadata.end() || found->second.empty()) return kAnyFingerprint;
  std::string fingerprint = found->second;
  std::transform(fingerprint.begin(), fingerprint.end(), fingerprint.begin(),
                 [](char c) { return c >= 'A' && c <= 'F' ? static_cast<char>(c + 32) : c; });
  return fingerprint;
}

bool lacks_definition(const Channel& channel, const DefinitionFiles& files) {
  if (!channel.schema) return false;
  const Schema& schema = *channel.schema;
  bool is_empty = schema.text.find_first_not_of(" \t\r\n") == std::string::npos;
  if (!is_empty) return false;
  if (schema.language.empty()) return true;
  auto declared = channel.metadata.find(std::string(files.fingerprint_key));
  if (declared == channel.metadata.end() || declared->second.empty()) return false;
  try {
    // A message without fields, such as std_msgs/Empty, has this text and this sum.
    auto empty = files.fingerprints({schema.name, schema.language, {}});
    return std::find(empty.begin(), empty.end(), fingerprint_of(channel, files)) == empty.end();
  } catch (const Error& error) {  // a name that no type can have: names come from bags
    if (is_final(error.code())) throw;
    return true;
  }
}

bool has_known_type(const Channel& channel) {
  // A bag of version 2.0 gets the second in place of the first, which the real rosbag cannot read.
  return channel.type() != "*" && channel.type() != "unknown/Unknown";
}

}  // namespace kitbag
