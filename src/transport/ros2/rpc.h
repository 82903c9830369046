#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kitbag/bytes.h"
#include "transport/ros2/messages.h"

// How a service of ROS 2 is represented in DDS, for servers and clients.

namespace kitbag::ros2 {

/// The two topics of DDS of a service, and their types.
struct ServiceTopics {
  std::string request;        ///< "rq/addRequest"
  std::string reply;          ///< "rr/addReply"
  std::string request_type;   ///< "std_srvs::srv::dds_::SetBool_Request_"
  std::string response_type;  ///< "std_srvs::srv::dds_::SetBool_Response_"
};

/// Of the service `name`, "/add", of the type "std_srvs/srv/SetBool".
ServiceTopics service_topics(const std::string& name, const std::string& type);

/// How many requests or replies are kept, as the nodes of ROS 2 have it.
inline constexpr std::uint64_t kServiceDepth = 10;

/// Who calls or serves: 16 bytes that no other has.
using ServiceId = Guid;
ServiceId make_service_id();

/// Keys of the USER_DATA of endpoints by which rmw_cyclonedds finds the two of one client.
inline constexpr std::string_view kClientKey = "clientid";
inline constexpr std::string_view kServiceKey = "serviceid";

/// "clientid=1.2f.0.…;", in front of the type's hash; `type_hash` may be empty.
std::string service_user_data(std::string_view key, const ServiceId& id,
                              std::string_view type_hash);
/// The value of `key`; empty: there is none.
std::string value_in(std::string_view user_data, std::string_view key);

/// An endpoint of Cyclone DDS. Its requests and replies have a Call in front of the content; those
/// of other middlewares say in the RTPS message whose they are.
bool is_cyclone(const Guid& endpoint);

/// A payload of a request or a reply without a Call, and what rmw_cyclonedds makes of it.
Payload with_call(const Call& call, ByteView payload);
struct CalledPayload {
  Call call;
  Payload payload;
};
/// The other way round. Absent: it is too short, or not little endian.
std::optional<CalledPayload> without_call(ByteView payload);

}  // namespace kitbag::ros2
