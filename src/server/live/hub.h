#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <vector>

#include "kitbag/session.h"
#include "kitbag/stream.h"
#include "server/http/web_socket.h"

// Live data for many clients. Each source of messages writes into an input of the hub, and each
// client gets the channels that it has subscribed to. Nobody waits for a slow client: messages that
// it does not take are dropped for this client only, counted, and reported to it. The last message
// of each latched channel is kept for clients that subscribe later.

namespace kitbag::server {

class LiveClient;
class PublishedMessages;

/// Any thread. Outlives its inputs and its clients.
class LiveHub {
 public:
  /// `clock`: for the intervals at which clients get the time and reports.
  explicit LiveHub(ClockPtr clock) : clock_(std::move(clock)) {}
  LiveHub(const LiveHub&) = delete;
  LiveHub& operator=(const LiveHub&) = delete;

  /// A sink for the messages of one source. Its channels are unadvertised when it is closed or
  /// destroyed.
  std::unique_ptr<Sink> input();
  /// A stage that also sends its messages to the clients, and changes nothing.
  std::unique_ptr<Stage> stage();
  /// A client of the Foxglove WebSocket protocol. What it publishes goes to `published`, which must
  /// outlive the client; null: it may not publish.
  std::unique_ptr<WebSocketSession> client(PublishedMessages* published = nullptr);

 private:
  friend class LiveClient;
  class Input;
  class InPassing;
  /// The last message of a latched channel.
  struct Last {
    Message message{};
    std::vector<std::byte> data;
  };

  void declare(Channels& own, const Channels& channels);
  void write(const Channels& own, const Batch& batch);
  void remove(const Channels& own);
  SteadyTime report_due() const;
  void report();
  void keep(const Message& message, std::size_t slot);

  void begin(LiveClient& client);
  void end(LiveClient& client);
  void send_last(LiveClient& client, const std::vector<std::size_t>& slots);
  std::size_t channels() const;

  ClockPtr clock_;

  mutable std::mutex mutex_;                 ///< for all below
  Channels channels_;                        ///< by slot; null: unadvertised
  std::vector<std::unique_ptr<Last>> last_;  ///< by slot
  std::size_t last_bytes_ = 0;
  std::set<LiveClient*> clients_;
  SteadyTime next_time_ = SteadyTime::min();
};

}  // namespace kitbag::server
