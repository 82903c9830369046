#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "kitbag/bytes.h"
#include "kitbag/message.h"
#include "kitbag/session.h"

// What kitbag itself says to the nodes of ROS 2, and they to it.

namespace kitbag::ros2 {

using Guid = std::array<std::byte, 16>;  ///< of an endpoint of DDS, in the order of the network
using Payload = std::vector<std::byte>;

// --- who is who: rmw_dds_common/msg/ParticipantEntitiesInfo ---

struct NodeInfo {
  std::string name;  ///< in full: "/robot/driver"
  std::set<Guid> endpoints;
};
struct ParticipantInfo {
  Guid participant{};
  std::vector<NodeInfo> nodes;
};

/// Of a participant with one node, in "/". `gid_bytes`: 16, or 24 as up to Humble.
Payload write_participant(const Guid& participant, const std::string& node,
                          const std::set<Guid>& readers, const std::set<Guid>& writers,
                          std::size_t gid_bytes);
/// With GIDs of either size. Nothing: it is no such message.
std::optional<ParticipantInfo> parse_participant(ByteView payload);

// --- what a type is: type_description_interfaces/srv/GetTypeDescription ---

/// What rmw_cyclonedds puts before requests and replies: the client, and the number of the request.
struct Call {
  std::uint64_t client = 0;
  std::int64_t sequence = 0;
};

/// A text as a node gives it: type_description_interfaces/msg/TypeSource.
struct TypeSource {
  std::string type;      ///< "std_msgs/msg/String"
  std::string encoding;  ///< "msg", "idl"
  std::string text;
};
/// type_description_interfaces/msg/Field.
struct FieldDescription {
  std::string name;
  std::uint8_t type_id = 0;
  std::uint64_t capacity = 0;       ///< of an array or a bounded sequence
  std::uint64_t text_capacity = 0;  ///< of a bounded string
  std::string nested_type;
};
/// type_description_interfaces/msg/IndividualTypeDescription.
struct TypeDescription {
  std::string type;
  std::vector<FieldDescription> fields;
};

struct DescriptionReply {
  Call call;
  std::vector<TypeDescription> types;  ///< its own first; none: the node does not know
  std::vector<TypeSource> sources;     ///< what no file defines has an empty text
};

Payload description_request(const Call& call, const std::string& type, const std::string& hash);
/// Throws Error (truncated, unsupported).
DescriptionReply parse_description_reply(ByteView payload);

/// The types, the first of which is the schema's, and those that they need, as a .msg file would
/// define them. Throws Error: not_found, unsupported.
std::string text_of(const std::vector<TypeDescription>& types);

/// The schema of `type` if its hash is `hash`: made of the sources or, where they do not have it,
/// of the description. Throws Error: not_found, corrupt, unsupported; invalid where the hash is
/// another one.
Schema schema_of(const std::string& type, const std::string& hash, const DescriptionReply& reply,
                 const Session& session);

}  // namespace kitbag::ros2
