#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "kitbag/bag.h"
#include "kitbag/bytes.h"
#include "kitbag/export.h"

// Services and actions of ROS 2. Their requests and responses are not topics. A node that has
// service introspection publishes an event for each of them on a topic beside the service, and that
// is what bags contain:
//
//   service  /add    /add/_service_event
//   action   /dock   /dock/_action/send_goal/_service_event, .../get_result/...,
//   .../cancel_goal/...
//                    /dock/_action/feedback, /dock/_action/status
//
//   if (auto call = call_topic(channel)) ...                  // call->name is "/add"
//   selection.topics = {service_pattern("/add"), action_pattern("/arm/*")};

namespace kitbag {

/// What the topic of a service's events ends with.
inline constexpr std::string_view kServiceEventSuffix = "/_service_event";
/// What stands between the name of an action and those of its five topics.
inline constexpr std::string_view kActionFolder = "/_action/";

/// A topic that belongs to a service or an action.
struct CallTopic {
  /// To which of both.
  enum class Of : std::uint8_t { service, action };
  Of of = Of::service;  ///< see Of
  std::string name;     ///< of the service or action: "/add"
  /// Of an action: "send_goal", "get_result", "cancel_goal", "feedback" or "status".
  std::string part;
  /// "example_interfaces/srv/AddTwoInts"; empty: the type of the topic does not say.
  std::string type;
  bool has_events = false;  ///< it has the events of requests and responses
};

/// Returns to which service or action a topic of that type belongs; nothing for any other topic.
KITBAG_API std::optional<CallTopic> call_topic(std::string_view topic, std::string_view type);
/// Returns the same of the topic of a channel.
KITBAG_API std::optional<CallTopic> call_topic(const Channel& channel);

/// Returns whether the last message of the channel holds until the next one comes, such as a map:
/// it is latched, and has no events of a service. These may be latched too, so that a late tool
/// sees them, but what was asked once is not a state.
KITBAG_API bool is_state(const Channel& channel);

/// Returns a pattern for Selection::topics and Selection::exclude that selects the topics of the
/// service or action with that name; `name` may be a glob.
/// @{
KITBAG_API std::string service_pattern(const std::string& name);
KITBAG_API std::string action_pattern(const std::string& name);
/// @}

/// An event of a service, service_msgs/msg/ServiceEventInfo.
struct CallEvent {
  /// What has happened, and who says so: the client has sent a request, the server has received it,
  /// the server has sent the response, the client has received that.
  enum class What : std::uint8_t {
    request_sent,
    request_received,
    response_sent,
    response_received
  };
  What what = What::request_sent;      ///< see What
  std::array<std::byte, 16> client{};  ///< the client
  std::int64_t sequence = 0;           ///< the client's number of the request

  /// Returns whether it is about a request.
  bool is_request() const { return what <= What::request_received; }
};

/// Returns the event that a payload in CDR begins with, whatever the type of the service is;
/// nothing if there is none.
KITBAG_API std::optional<CallEvent> call_event(ByteView payload);

/// How often a service was called, on one topic with its events.
struct CallCount {
  std::string topic;            ///< with the events: "/add/_service_event"
  std::uint64_t requests = 0;   ///< a request that client and server tell of counts once
  std::uint64_t responses = 0;  ///< the same
  std::uint64_t unread = 0;     ///< events that are not CDR, or damaged
};

/// Reads `source` to its end and counts calls on topics with events of services, also of those of
/// actions. Sorted by topic. Takes some 32 bytes of memory for each event. Throws Error (cancelled)
/// on `stop`.
KITBAG_API std::vector<CallCount> call_counts(Source& source, const std::stop_token& stop = {});

}  // namespace kitbag
