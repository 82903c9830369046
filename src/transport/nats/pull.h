#pragma once

#include <cstdint>
#include <string>

#include "transport/nats/connection.h"

namespace kitbag::nats {

/// Takes the messages of a stream by a consumer, in batches that this side asks for, so that no
/// more is under way than it has room for. For one thread.
class Pull {
 public:
  /// Makes the consumer, unless the server has it. `name`: of a consumer that lives as long as it
  /// is used, where the endpoint has no durable one. `first`: the number of the message that a new
  /// consumer begins with; 0: as the endpoint says. Throws Error.
  Pull(natsConnection* connection, const Stream& stream, const Endpoint& endpoint,
       const std::string& name, std::uint64_t first);

  /// The next message; null: none has come within `wait_ms`. Throws Error (io) if the connection is
  /// lost or the consumer gone.
  NatsMessage next(std::int64_t wait_ms);

  /// Says that a message need not come again.
  void acknowledge(natsMsg* message);
  /// Messages that were delivered and not acknowledged yet, and those that wait. Throws Error (io).
  std::uint64_t left();
  /// Deletes the consumer, unless it is durable.
  void forget();

 private:
  void ask();
  bool take_status(natsMsg* message);

  natsConnection* connection_;
  jsCtx* context_;
  const Endpoint& endpoint_;
  std::string consumer_;
  std::string inbox_ = new_inbox();
  NatsSubscription subscription_;
  std::int64_t asked_ = 0;  ///< messages that are asked for and have not come
  std::int64_t silent_ms_ = 0;
};

}  // namespace kitbag::nats
