#include "server/bags/events.h"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kitbag/error.h"
#include "server/api/bag_api.h"
#include "server/bags/catalog_events.h"
#include "server/http/ranges.h"

// Reading and storing the events of a bag. A client that sends all events must say which state it
// has seen (If-Match), so that two clients do not undo each other's work; one event is added to
// whatever is there.
//
//   428   all events are to be replaced or deleted, and If-Match is missing
//   412   the stored events are other ones than If-Match says
//   503   another server has held the lock for too long
//   507   the disk is full
//   403   they cannot be stored for another reason, such as a folder without write permission

namespace kitbag::server {
namespace {

std::string etag_of(const std::string& text) {
  return "\"events-" + cache_key({text}) + "\"";
}

Response events_response(const Served& served, const Request& request, const std::string& text) {
  Content content;
  content.add(text);
  Response response =
      answer(request, content, {etag_of(text)}, {{"Content-Type", "application/json"}});
  return std::move(response.set("Cache-Control", cache_control(served, true)));
}

/// Events happen while a bag is recorded. Times of a bag are known to the second by some clients.
void check_times(const std::vector<Event>& events, const BagEntry& bag) {
  constexpr std::chrono::seconds kRounding{1};
  if (!bag.error.empty() || bag.messages == 0) return;
  for (const Event& event : events) {
    bool is_before = event.end.value_or(event.start) < saturating_add(bag.start, -kRounding);
    bool is_after = event.start > saturating_add(bag.end, kRounding) && !bag.may_grow;
    if (!is_before && !is_after) continue;
    throw Error(ErrorCode::invalid,
                fmt::format("the event \"{}\" is not within the times of the bag", event.label));
  }
}

/// Why a request cannot be followed in this state; 0: it can.
int refusal_of(const Request& request, const SentEvents& sent, const std::string& etag) {
  const std::string* match = request.header("if-match");
  if (!match) return sent.is_all ? 428 : 0;
  bool is_same = *match == "*" || match->find(etag) != std::string::npos;
  return is_same ? 0 : 412;
}

/// What is to be stored in place of `stored`.
std::string changed(const std::string& stored, const SentEvents& sent) {
  std::vector<Event> events = sent.is_all ? std::vector<Event>() : parse_events(stored).events;
  events.insert(events.end(), sent.events.begin(), sent.events.end());
  constexpr std::size_t kMost = EventLimits().events;
  if (events.size() > kMost) {
    throw Error(ErrorCode::limit, fmt::format("a bag has at most {} events", kMost));
  }
  return events_json(std::move(events));
}

Response change_events(EventStore& store, const Call& call, const SentEvents& sent) {
  int refusal = 0;
  try {
    auto text = store.update(*call.bag, [&](const std::string& stored) {
      refusal = refusal_of(call.request, sent, etag_of(stored));
      return refusal == 0 ? std::optional(changed(stored, sent)) : std::nullopt;
    });
    if (refusal == 428) {
      return error_response(428, "If-Match is needed to replace or delete all events");
    }
    if (refusal == 412) return error_response(412, "the events have changed; read them again");
    Response response = text_response(200, "application/json", *text);
    response.set("ETag", etag_of(*text));
    return std::move(response.set("Cache-Control", "no-store"));
  } catch (const Error& error) {
    if (error.code() == ErrorCode::busy) return error_response(503, error.message());
    if (error.code() != ErrorCode::io && error.code() != ErrorCode::unsupported) throw;
    bool is_full = store.is_full(*call.bag, EventLimits().description_bytes);
    std::string where = call.bag->number != 0 ? "in the catalog: " : "beside the bag: ";
    return error_response(is_full ? 507 : 403,
                          "the events cannot be stored " + where + error.message());
  }
}

Response post_events(EventStore& store, const Call& call) {
  SentEvents sent = parse_events(call.request.body);
  check_times(sent.events, *call.bag);
  return change_events(store, call, sent);
}

/// Where events are: those of a bag of the catalog in it, all others beside their bag.
class EventStores {
 public:
  explicit EventStores(Served& served) : files_(served.session) {
    if (served.catalog) catalog_.emplace(served.catalog->pool());
  }
  EventStore& of(const BagEntry& bag) {
    if (bag.number != 0) return *catalog_;
    return files_;
  }

 private:
  EventFiles files_;
  std::optional<CatalogEvents> catalog_;
};

}  // namespace

void add_events(Routes& routes, Served& served) {
  auto stores = std::make_shared<EventStores>(served);
  routes.add({.method = "GET",
              .path = "/bags/{bag}/events",
              .summary = "What was noted about the bag, by time",
              .media_type = "application/json",
              .answer = [&served, stores](const Call& call) {
                std::string text = stores->of(*call.bag).read(*call.bag);
                return events_response(served, call.request, text);
              }});
  routes.add(
      {.method = "POST",
       .path = "/bags/{bag}/events",
       .summary = "Adds an event, or with If-Match replaces all",
       .media_type = "application/json",
       .answer = [stores](const Call& call) { return post_events(stores->of(*call.bag), call); }});
  routes.add({.method = "DELETE",
              .path = "/bags/{bag}/events",
              .summary = "Deletes all events; needs If-Match",
              .media_type = "application/json",
              .answer = [stores](const Call& call) {
                return change_events(stores->of(*call.bag), call, {.events = {}, .is_all = true});
              }});
}

}  // namespace kitbag::server
