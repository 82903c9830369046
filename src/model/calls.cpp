#include "kitbag/calls.h"

#include <bit>
#include <cstring>

#include "kitbag/message.h"

// Names alone do not say it: a hidden topic may have such a name and any type. So the type must be
// one that is generated for a service or an action, where there is one.
//
//     /add/_service_event                        a service /add
//     /dock/_action/send_goal/_service_event     an action /dock; also get_result and cancel_goal
//     /dock/_action/feedback                     the same action; also status

namespace kitbag {
namespace {

constexpr std::string_view kEvent = "_Event";

/// `type` without a suffix that must be there; or "".
std::string without(std::string_view type, std::string_view suffix) {
  if (!type.ends_with(suffix)) return {};
  return std::string(type.substr(0, type.size() - suffix.size()));
}

/// One of the five topics of an action.
struct ActionPart {
  std::string_view name;
  std::string_view
      suffix;  ///< what the topic's type adds to that of the action; empty: another type
  std::string_view other_type = {};  ///< the end of its type, which is the same for all actions
  bool has_events = false;
};

constexpr std::array<ActionPart, 5> kActionParts = {{
    {"send_goal", "_SendGoal_Event", {}, true},
    {"get_result", "_GetResult_Event", {}, true},
    {"cancel_goal", {}, "CancelGoal_Event", true},
    {"feedback", "_FeedbackMessage"},
    {"status", {}, "GoalStatusArray"},
}};

std::optional<CallTopic> action_topic(std::string_view topic, std::string_view type) {
  std::size_t folder = topic.rfind(kActionFolder);
  if (folder == std::string_view::npos || folder == 0) return std::nullopt;
  std::string_view rest = topic.substr(folder + kActionFolder.size());
  for (const ActionPart& part : kActionParts) {
    if (!rest.starts_with(part.name)) continue;
    if (rest.substr(part.name.size()) != (part.has_events ? kServiceEventSuffix : "")) continue;
    std::string_view end = part.suffix.empty() ? part.other_type : part.suffix;
    if (!type.empty() && !type.ends_with(end)) return std::nullopt;
    std::string action = part.suffix.empty() ? std::string() : without(type, part.suffix);
    return CallTopic{CallTopic::Of::action, std::string(topic.substr(0, folder)),
                     std::string(part.name), std::move(action), part.has_events};
  }
  return std::nullopt;
}

}  // namespace

std::optional<CallTopic> call_topic(std::string_view topic, std::string_view type) {
  if (auto action = action_topic(topic, type)) return action;
  bool has_name = topic.ends_with(kServiceEventSuffix) && topic.size() > kServiceEventSuffix.size();
  if (!has_name || (!type.empty() && !type.ends_with(kEvent))) return std::nullopt;
  topic.remove_suffix(kServiceEventSuffix.size());
  return CallTopic{CallTopic::Of::service, std::string(topic), {}, without(type, kEvent), true};
}

std::optional<CallTopic> call_topic(const Channel& channel) {
  return call_topic(channel.topic, channel.type());
}

bool is_state(const Channel& channel) {
  if (!is_latched(channel)) return false;
  auto call = call_topic(channel);
  return !call || !call->has_events;
}

std::string service_pattern(const std::string& name) {
  return name + std::string(kServiceEventSuffix);
}

std::string action_pattern(const std::string& name) {
  return name + std::string(kActionFolder) + "*";
}

std::optional<CallEvent> call_event(ByteView payload) {
  // uint8 event_type, Time stamp {int32, uint32}, uint8[16] client_gid, int64 sequence_number.
  constexpr std::size_t kHeader = 4;
  constexpr std::size_t kClient = kHeader + 12;
  constexpr std::size_t kSequence = kHeader + 32;
  if (payload.size() < kSequence + sizeof(std::int64_t)) return std::nullopt;
  bool is_little = payload[1] == std::byte{1};
  bool is_plain = payload[0] == std::byte{0} && (is_little || payload[1] == std::byte{0});
  auto what = std::to_integer<std::uint8_t>(payload[kHeader]);
  if (!is_plain || what > static_cast<std::uint8_t>(CallEvent::What::response_received)) {
    return std::nullopt;
  }
  CallEvent event;
  event.what = static_cast<CallEvent::What>(what);
  std::memcpy(event.client.data(), payload.data() + kClient, event.client.size());
  std::uint64_t number = 0;
  std::memcpy(&number, payload.data() + kSequence, sizeof number);
  event.sequence = std::bit_cast<std::int64_t>(is_little ? number : __builtin_bswap64(number));
  return event;
}

}  // namespace kitbag
