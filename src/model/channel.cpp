#include "kitbag/message.h"

namespace kitbag {
namespace {

bool is_same_schema(const SchemaPtr& a, const SchemaPtr& b) {
  return a == b || (a && b && *a == *b);
}

}  // namespace

const std::string& Channel::type() const {
  static const std::string kNone;
  return schema ? schema->name : kNone;
}

bool same_content(const Channel& a, const Channel& b) {
  return a.topic == b.topic && a.encoding == b.encoding && a.metadata == b.metadata &&
         is_same_schema(a.schema, b.schema);
}

bool is_latched(const Channel& channel) {
  auto latching = channel.metadata.find("latching");
  return latching != channel.metadata.end() &&
         (latching->second == "1" || latching->second == "true");
}

}  // namespace kitbag
