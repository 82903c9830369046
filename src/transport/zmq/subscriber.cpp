#include <atomic>
#include <cerrno>
#include <optional>
#include <thread>
#include <vector>

#include "kitbag/session.h"
#include "transport/framing/receiver.h"
#include "transport/zmq/endpoint.h"
#include "transport/zmq/transport.h"
#include "transport/zmq/wake.h"

// One thread takes frames from a socket and hands them to a Receiver.
//
// ZeroMQ's sockets are not for several threads. stop() therefore only sets a flag and a descriptor
// (Wake) that the thread polls beside the socket. If the feed is full and blocks, the thread stays
// in push(), ZeroMQ's queue fills up to kQueuedMessages, then the connection's buffers, and then
// the sender waits: that is the back pressure of push and pull. A sender of pubsub drops instead.
//
// What has arrived before a stop should still be recorded. But a fast sender never leaves the queue
// empty, so the stop ends after as many messages as the queue may have held.

namespace kitbag::zmq_transport {

namespace {

/// Messages of each sender that ZeroMQ may hold, and what a stopped socket still gives. ZeroMQ
/// counts messages, not bytes, so few enough that large ones do not take all memory while the feed
/// is full, and enough that small ones come fast.
constexpr int kQueuedMessages = 100;
constexpr std::chrono::milliseconds kLookAtHeld(100);

class ZmqSubscriber final : public Subscriber {
 public:
  ZmqSubscriber(Endpoint endpoint, const Subscription& wanted, Feed& feed, const Session& session)
      : endpoint_(std::move(endpoint)),
        feed_(feed),
        socket_(context_, endpoint_.is_pubsub ? zmq::socket_type::sub : zmq::socket_type::pull),
        receiver_(wanted, endpoint_.uri, endpoint_.keeps_time, session, feed) {
    socket_.set(zmq::sockopt::linger, 0);
    socket_.set(zmq::sockopt::rcvhwm, kQueuedMessages);
    if (endpoint_.is_pubsub) socket_.set(zmq::sockopt::subscribe, "");
    endpoint_.attach(socket_);
    thread_ = std::thread([this] { listen(); });
  }
  ~ZmqSubscriber() override {
    stop();
    thread_.join();
  }

  void stop() override {
    is_stopped_ = true;
    wake_.set();
  }
  std::optional<std::vector<LiveTopic>> topics() const override { return receiver_.topics(); }

 private:
  void listen() {
    try {
      bool has_ended = false;
      while (!is_stopped_ && !has_ended) {
        try {
          await();
          has_ended = take_all();
        } catch (const zmq::error_t& cause) {
          if (cause.num() != EINTR) throw;
        }
      }
      receiver_.finish();
      feed_.close();
    } catch (const zmq::error_t& cause) {
      feed_.fail(std::make_exception_ptr(endpoint_.error("cannot receive", cause)));
    } catch (...) {
      feed_.fail(std::current_exception());
    }
  }

  void await() {
    zmq::pollitem_t items[] = {{socket_.handle(), 0, ZMQ_POLLIN, 0},
                               {nullptr, wake_.file(), ZMQ_POLLIN, 0}};
    zmq::poll(items, 2, receiver_.holds_any() ? kLookAtHeld : std::chrono::milliseconds(-1));
  }

  /// All that is there; when it was stopped no more than what may have come before. True: the
  /// sender has ended.
  bool take_all() {
    for (int left = kQueuedMessages; left > 0; left -= is_stopped_ ? 1 : 0) {
      zmq::message_t topic;
      if (!socket_.recv(topic, zmq::recv_flags::dontwait)) break;
      if (take(std::move(topic))) return true;
    }
    receiver_.tick();
    return false;
  }

  /// A message that begins with this frame. True: the sender has ended.
  bool take(zmq::message_t first) {
    frames_.clear();
    frames_.push_back(std::move(first));
    // All frames are taken, also those of an invalid message, or the next one would begin in its
    // middle.
    bool goes_on = frames_.back().more();
    while (goes_on) {
      zmq::message_t frame;
      if (!socket_.recv(frame)) break;
      goes_on = frame.more();
      if (frames_.size() <= framing::kMessageFrames) frames_.push_back(std::move(frame));
    }
    views_.clear();
    for (const zmq::message_t& frame : frames_) {
      views_.emplace_back(frame.data<std::byte>(), frame.size());
    }
    bool has_ended = receiver_.take(views_, [this]() -> Owner {
      return std::make_shared<zmq::message_t>(std::move(frames_.back()));
    });
    return has_ended && endpoint_.is_once;
  }

  Endpoint endpoint_;
  Feed& feed_;
  Wake wake_;
  std::atomic<bool> is_stopped_ = false;
  zmq::context_t context_;
  zmq::socket_t socket_;                ///< the thread's, once it runs
  framing::Receiver receiver_;          ///< the thread's, but for its topics
  std::vector<zmq::message_t> frames_;  ///< of one message
  std::vector<ByteView> views_;         ///< of them
  std::thread thread_;
};

}  // namespace

std::unique_ptr<Subscriber> subscribe(const Location& location, const Subscription& wanted,
                                      Feed& feed, const Session& session) {
  return std::make_unique<ZmqSubscriber>(Endpoint::of(location), wanted, feed, session);
}

}  // namespace kitbag::zmq_transport
