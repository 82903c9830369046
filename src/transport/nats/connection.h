#pragma once

#include <nats/nats.h>

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "kitbag/error.h"
#include "kitbag/time.h"
#include "transport/nats/endpoint.h"

namespace kitbag::nats {

/// What libnats gives is freed by its own functions.
struct Free {
  void operator()(natsConnection* it) const { natsConnection_Destroy(it); }
  void operator()(natsSubscription* it) const { natsSubscription_Destroy(it); }
  void operator()(natsOptions* it) const { natsOptions_Destroy(it); }
  void operator()(natsMsg* it) const { natsMsg_Destroy(it); }
  void operator()(natsInbox* it) const { natsInbox_Destroy(it); }
  void operator()(jsCtx* it) const { jsCtx_Destroy(it); }
  void operator()(jsStreamInfo* it) const { jsStreamInfo_Destroy(it); }
  void operator()(jsConsumerInfo* it) const { jsConsumerInfo_Destroy(it); }
  void operator()(jsMsgMetaData* it) const { jsMsgMetaData_Destroy(it); }
};
using Connection = std::unique_ptr<natsConnection, Free>;
using NatsMessage = std::unique_ptr<natsMsg, Free>;
using NatsSubscription = std::unique_ptr<natsSubscription, Free>;

/// How long after a failure the next attempt to connect begins.
inline constexpr Duration kConnectAgain = std::chrono::seconds(1);

/// A connection, which is closed when it is lost. Null: a stop was requested. Throws Error: io if
/// there is no server, invalid if it refuses the user.
Connection connect(const Endpoint& endpoint, const std::stop_token& stop);

/// What a status of libnats means; `what` was not possible.
Error error_of(natsStatus status, const std::string& what, const Endpoint& endpoint);
/// Throws Error (invalid) if the server has said that the user may not do something.
void require_permission(natsConnection* connection, const Endpoint& endpoint);

/// A context of JetStream, with the subjects that the stream of the endpoint takes. Throws Error:
/// io if the connection is lost or the server not ready, not_found for a stream that it does not
/// have.
struct Stream {
  std::unique_ptr<jsCtx, Free> context;
  std::vector<std::string> subjects;

  static Stream of(natsConnection* connection, const Endpoint& endpoint);
  /// Whether it takes messages on `subject`.
  bool takes(std::string_view subject) const;
};

/// Whether `pattern`, in which `*` is a word and `>` all the rest, matches `subject`.
bool matches_subject(std::string_view pattern, std::string_view subject);

/// A new name for answers.
std::string new_inbox();

}  // namespace kitbag::nats
