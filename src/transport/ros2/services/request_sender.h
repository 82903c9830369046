#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "kitbag/calls.h"
#include "kitbag/message.h"
#include "kitbag/session.h"
#include "kitbag/transport.h"
#include "transport/ros2/participant.h"
#include "transport/ros2/services/recorded_requests.h"
#include "transport/ros2/services/service_client.h"
#include "transport/ros2/settings.h"
#include "transport/ros2/type_hashes.h"

namespace kitbag::ros2 {

/// Sends the requests in recorded events of services and actions to those that are there now, as
/// Settings ask for. One thread.
class RequestSender {
 public:
  /// `participant` and `type_hashes` must outlive it.
  RequestSender(const Settings& settings, Publication how, Participant& participant,
                TypeHashes& type_hashes, const Session& session);

  /// Whether the channel is of a service or action whose requests are sent. Its messages are not to
  /// be published then.
  bool takes(const Channel& channel) const;
  /// Makes the clients of a channel that it takes. Participant::announce() publishes them. Whether
  /// there are new ones.
  bool add(const Channel& channel);
  /// Sends the request in an event of a channel that was added; waits for a server that is behind.
  /// Throws Error: cancelled; io.
  void send(const Message& event);

  /// Whether each service has a server.
  bool are_reachable() const;
  /// Waits until all servers have the requests, or `until`.
  void confirm(SteadyTime until);
  /// Warns of the requests that were not sent, once for each service.
  void report();

 private:
  /// Of one service: its client, and how many requests there were.
  struct Service {
    std::string type;
    CallEvent::What wanted = CallEvent::What::request_received;
    std::unique_ptr<ServiceClient> client;
    std::uint64_t sent = 0;
    std::uint64_t without_content = 0;
    std::uint64_t without_server = 0;
    std::uint64_t to_strangers = 0;  ///< to servers of other middlewares
    std::uint64_t of_others = 0;     ///< of which the other side has told
    std::uint64_t damaged = 0;
    std::uint64_t undecodable = 0;
    std::string why_undecodable = {};
  };
  /// What comes on one channel; without a service: it is passed over.
  struct Events {
    Service* service = nullptr;
    std::unique_ptr<RecordedRequests> requests;  ///< null: they cannot be decoded
  };

  std::optional<CallEvent::What> wanted_of(const CallTopic& call) const;
  void send(Service& service, ByteView request);

  std::optional<CallEvent::What> of_services_;
  std::optional<CallEvent::What> of_actions_;
  Publication how_;
  Participant& participant_;
  TypeHashes& type_hashes_;
  Session session_;
  std::map<std::string, Service> services_;  ///< by name
  std::vector<Events> by_slot_;
};

}  // namespace kitbag::ros2
