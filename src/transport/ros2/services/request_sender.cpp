#include "transport/ros2/services/request_sender.h"

#include <string_view>
#include <utility>

#include "kitbag/error.h"
#include "transport/ros2/warn.h"

// Client and server may both have told of a request, so only the events of one of them are taken.
// The other topics of an action, its feedback and status, come from the live one again.
//
// Nothing awaits the responses: a recorded client may have asked two servers in turn, and times are
// those of the bag. What could not be sent is counted, and told at the end.

namespace kitbag::ros2 {

namespace {

/// "/dock/_action/send_goal" of "/dock/_action/send_goal/_service_event".
std::string service_of(const std::string& topic) {
  return topic.substr(0, topic.size() - kServiceEventSuffix.size());
}

/// "example_interfaces/srv/AddTwoInts" of "example_interfaces/srv/AddTwoInts_Event".
std::string service_type_of(const std::string& event_type) {
  constexpr std::string_view kEvent = "_Event";
  return event_type.substr(0, event_type.size() - kEvent.size());
}

std::string requests_text(std::uint64_t count) {
  return std::to_string(count) + (count == 1 ? " request" : " requests");
}

}  // namespace

RequestSender::RequestSender(const Settings& settings, Publication how, Participant& participant,
                             TypeHashes& type_hashes, const Session& session)
    : of_services_(settings.service_requests),
      of_actions_(settings.action_requests),
      how_(std::move(how)),
      participant_(participant),
      type_hashes_(type_hashes),
      session_(session) {}

std::optional<CallEvent::What> RequestSender::wanted_of(const CallTopic& call) const {
  return call.of == CallTopic::Of::service ? of_services_ : of_actions_;
}

bool RequestSender::takes(const Channel& channel) const {
  auto call = call_topic(channel);
  return call && !channel.type().empty() && wanted_of(*call);
}

bool RequestSender::add(const Channel& channel) {
  if (channel.slot >= by_slot_.size()) by_slot_.resize(channel.slot + 1);
  auto call = call_topic(channel);
  if (!call || !call->has_events) return false;
  auto [found, is_new] = services_.try_emplace(service_of(channel.topic));
  const std::string& name = found->first;
  Service& service = found->second;
  Events& events = by_slot_[channel.slot];
  events.service = &service;
  if (is_new) {
    service.type = service_type_of(channel.type());
    service.wanted = *wanted_of(*call);
    service.client = std::make_unique<ServiceClient>(participant_, name, service.type,
                                                     type_hashes_.of(service.type));
    participant_.add_writer(service.client->writer());
    participant_.add_reader(service.client->reader());
  }
  if (channel.encoding != "cdr") {
    service.why_undecodable = "their encoding is '" + channel.encoding + "', not CDR";
    return is_new;
  }
  try {
    events.requests = std::make_unique<RecordedRequests>(channel, session_);
  } catch (const Error& error) {
    service.why_undecodable = error.message();
  }
  return is_new;
}

void RequestSender::send(const Message& event) {
  Events& events = by_slot_[event.channel->slot];
  if (!events.service) return;
  Service& service = *events.service;
  if (!events.requests) {
    auto told = call_event(event.data);
    if (!told || told->what == service.wanted) ++service.undecodable;
    return;
  }
  RecordedRequest request;
  try {
    request = events.requests->read(event.data);
  } catch (const Error&) {
    ++service.damaged;
    return;
  }
  if (request.what > CallEvent::What::request_received) return;
  if (request.what != service.wanted) {
    ++service.of_others;
  } else if (!request.payload) {
    ++service.without_content;
  } else {
    send(service, *request.payload);
  }
}

void RequestSender::send(Service& service, ByteView request) {
  ServiceClient& client = *service.client;
  Payload called;
  switch (client.server()) {
    case ServiceClient::Server::none:
      ++service.without_server;
      return;
    case ServiceClient::Server::unknown:
      ++service.to_strangers;
      return;
    case ServiceClient::Server::fast:
      break;
    case ServiceClient::Server::cyclone:
      called = with_call(client.next_call(), request);
      request = called;
  }
  for (;;) {
    dds_return_t result = client.send(request);
    if (result == DDS_RETCODE_OK) break;
    if (result != DDS_RETCODE_TIMEOUT) require(result, "send a request of " + service.type);
    // The server is behind.
    if (how_.stop.stop_requested()) {
      throw Error(ErrorCode::cancelled, "stopped while waiting for a slow server", service.type);
    }
  }
  ++service.sent;
}

bool RequestSender::are_reachable() const {
  for (const auto& [name, service] : services_) {
    if (service.client->server() == ServiceClient::Server::none) return false;
  }
  return true;
}

/// Waits until the servers' readers have the requests. Whether anyone has answered is not asked.
void RequestSender::confirm(SteadyTime until) {
  for (const auto& [name, service] : services_) {
    dds_entity_t writer = service.client->writer().get();
    while (service.sent > 0 && dds_wait_for_acks(writer, DDS_MSECS(50)) == DDS_RETCODE_TIMEOUT &&
           !how_.stop.stop_requested() && participant_.clock().steady() < until) {
    }
  }
}

void RequestSender::report() {
  for (auto& [name, service] : services_) {
    std::string text;
    auto add = [&text](std::uint64_t count, const std::string& why) {
      if (count == 0) return;
      text += (text.empty() ? "" : "; ") + requests_text(count) + " not sent: " + why;
    };
    add(service.without_server, "no server of the service was there");
    add(service.to_strangers,
        "the service is on a middleware that is neither Cyclone DDS nor Fast DDS");
    add(service.without_content,
        "they were recorded without their content, by an introspection of metadata alone");
    add(service.undecodable, service.why_undecodable);
    add(service.damaged, "their events are damaged");
    bool is_by_server = service.wanted == CallEvent::What::request_received;
    bool has_others_alone = text.empty() && service.sent == 0;
    add(has_others_alone ? service.of_others : 0,
        std::string("only the ") + (is_by_server ? "client has" : "server has") +
            " told of them, and these are sent with the source " +
            (is_by_server ? "client_introspection" : "service_introspection"));
    if (!text.empty()) warn(how_.on_warning, text, name);
    service = {service.type, service.wanted, std::move(service.client)};
  }
}

}  // namespace kitbag::ros2
