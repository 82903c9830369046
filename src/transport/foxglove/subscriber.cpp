#include <atomic>
#include <optional>
#include <thread>
#include <vector>

#include "kitbag/error.h"
#include "transport/foxglove/endpoint.h"
#include "transport/foxglove/receiver.h"
#include "transport/foxglove/transport.h"

// One thread connects, passes what it receives to a Receiver, and connects again when the
// connection is lost. If a server answers, but does not speak the protocol, the subscriber fails:
// trying again would not help.

namespace kitbag::foxglove {
namespace {

class FoxgloveSubscriber final : public Subscriber {
 public:
  FoxgloveSubscriber(Endpoint endpoint, const Subscription& wanted, Feed& feed,
                     const Session& session)
      : endpoint_(std::move(endpoint)),
        feed_(feed),
        session_(session),
        receiver_(wanted, endpoint_.uri, endpoint_.keeps_time, session, feed),
        thread_([this](const std::stop_token& stop) { listen(stop); }) {}

  void stop() override { thread_.request_stop(); }
  std::optional<std::vector<LiveTopic>> topics() const override {
    if (!is_connected_) return std::nullopt;
    return receiver_.topics();
  }

 private:
  void listen(const std::stop_token& stop) {
    try {
      bool has_ended = false;
      while (!has_ended && !stop.stop_requested()) {
        has_ended = connect(stop);
        if (!has_ended) {
          session_.clock()->sleep({stop, session_.clock()->steady() + kConnectAgain});
        }
      }
      receiver_.finish();
      feed_.close();
    } catch (...) {
      feed_.fail(std::current_exception());
    }
  }

  /// One connection, from its beginning to its end. True: no other one is wanted.
  bool connect(const std::stop_token& stop) {
    auto socket = web_socket(endpoint_.target, endpoint_.uri, stop);
    bool was_open = false;
    try {
      if (!socket->open()) return false;
      was_open = true;
      is_reported_ = false;
      receiver_.begin();
      is_connected_ = has_been_open_ = true;
      take_all(*socket, stop);
      socket->close();
      return true;
    } catch (const Error& error) {
      // A proxy in front of a server that starts again refuses in its place for a while.
      bool may_pass = error.code() == ErrorCode::io ||
                      (has_been_open_ && error.code() == ErrorCode::unsupported);
      if (!may_pass) throw;
      is_connected_ = false;
      // A server of one replay closes the connection at its end. One that breaks is reported.
      if (was_open && endpoint_.is_once) {
        if (!socket->is_closed()) receiver_.warn(error.message());
        return true;
      }
      if (!is_reported_) receiver_.warn(error.message() + "; trying again until it succeeds");
      is_reported_ = true;
      return false;
    }
  }

  void take_all(WebSocket& socket, const std::stop_token& stop) {
    auto send = [&socket](const std::string& json) { socket.send(true, as_bytes(json)); };
    while (!stop.stop_requested() && !(receiver_.has_ended() && endpoint_.is_once)) {
      auto message = socket.receive(std::chrono::seconds(60));
      if (!message) continue;
      if (message->is_text) {
        receiver_.take_text(as_text(message->data), send);
      } else {
        receiver_.take_frame(message->data);
      }
    }
  }

  Endpoint endpoint_;
  Feed& feed_;
  Session session_;
  Receiver receiver_;  ///< the thread's, but for its topics
  std::atomic<bool> is_connected_ = false;
  bool has_been_open_ = false;
  bool is_reported_ = false;  ///< that there is no connection
  std::jthread thread_;       ///< last: it ends before the rest is gone
};

}  // namespace

std::unique_ptr<Subscriber> subscribe(const Location& location, const Subscription& wanted,
                                      Feed& feed, const Session& session) {
  return std::make_unique<FoxgloveSubscriber>(Endpoint::of(location), wanted, feed, session);
}

}  // namespace kitbag::foxglove
