#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "kitbag/message.h"
#include "kitbag/session.h"
#include "kitbag/type.h"

// What ROS 1 and ROS 2 have under different names, as ros1_bridge brings the one to the other.
// Everything else has the same name but for the "msg" in its middle, and comes by itself
// (language/ros2/adapt.h).

namespace kitbag {

/// Values of a field that mean the same: "level" 1 is 10.
using Renumbering = std::map<std::string, std::map<std::int64_t, std::int64_t>>;

/// A message whose fields differ too: it is decoded as `source` and encoded as `target`, whose
/// fields have the names of one another, and stored under `schema`.
struct Bridge {
  TypePtr source;
  TypePtr target;
  Schema schema;
  TypePtr schema_type;
  Renumbering values;
};

/// The bridge from a definition to that language; nothing where there is none, or `type`, which is
/// that of `schema`, is not the one that it leads from.
std::optional<Bridge> find_bridge(const Schema& schema, const TypePtr& type,
                                  std::string_view language, const Session& session);

/// The name in that language, "package/Type", of the channel's type, which differs in nothing else:
/// the one that keep_name() has kept, or the one that ROS 2 has for it. Empty: it keeps its own.
std::string bridged_name(const Channel& channel, std::string_view language);

/// Keeps in the metadata of `to`, whose type has another name now, that of `from`, so that a
/// conversion back finds it; after a conversion back, removes it.
void keep_name(const Channel& from, Channel& to);

/// `type` under that name ("package/Type", written as the type's own is), and its own fields under
/// the names that `fields` has for them.
TypePtr renamed(const TypePtr& type, const std::string& name,
                const std::map<std::string, std::string>* fields);

}  // namespace kitbag
