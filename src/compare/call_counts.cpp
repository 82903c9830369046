#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "kitbag/calls.h"
#include "kitbag/error.h"
#include "kitbag/message.h"
#include "kitbag/stream.h"

// Client and server both tell of a request if both have introspection. Who asks and the number of
// the request identify it, so these are kept of each event, and what is there twice counts once.

namespace kitbag {
namespace {

/// A request or response: its client and its number.
using Call = std::pair<std::array<std::byte, 16>, std::int64_t>;

std::uint64_t count_different(std::vector<Call>& calls) {
  std::sort(calls.begin(), calls.end());
  return static_cast<std::uint64_t>(std::unique(calls.begin(), calls.end()) - calls.begin());
}

struct Events {
  std::vector<Call> requests;
  std::vector<Call> responses;
  std::uint64_t unread = 0;

  void add(const Message& message) {
    // Events of services are decoded from CDR alone. Others are counted as unread, or the sums
    // would look complete.
    auto event = message.channel->encoding == "cdr" ? call_event(message.data) : std::nullopt;
    if (!event) {
      ++unread;
      return;
    }
    (event->is_request() ? requests : responses).emplace_back(event->client, event->sequence);
  }
};

}  // namespace

std::vector<CallCount> call_counts(Source& source, const std::stop_token& stop) {
  std::map<std::string, Events> by_topic;
  std::vector<std::optional<Events*>> by_slot;
  auto events_of = [&](const Channel& channel) {
    if (channel.slot >= by_slot.size()) by_slot.resize(channel.slot + 1);
    std::optional<Events*>& events = by_slot[channel.slot];
    if (!events) {
      auto call = call_topic(channel);
      events = call && call->has_events ? &by_topic[channel.topic] : nullptr;
    }
    return *events;
  };
  Batch batch;
  while (!stop.stop_requested() && source.read(batch, Wait{stop, kNever})) {
    for (const Message& message : batch.messages()) {
      if (Events* events = events_of(*message.channel)) events->add(message);
    }
    batch.clear();
  }
  if (stop.stop_requested()) throw Error(ErrorCode::cancelled, "the counting was stopped");
  std::vector<CallCount> counts;
  counts.reserve(by_topic.size());
  for (auto& [topic, events] : by_topic) {
    counts.push_back({topic, count_different(events.requests), count_different(events.responses),
                      events.unread});
  }
  return counts;
}

}  // namespace kitbag
