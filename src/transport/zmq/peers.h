#pragma once

#include <linux/sockios.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <set>
#include <zmq.hpp>

namespace kitbag::zmq_transport {

/// Who is connected to a socket, by the events that ZeroMQ reports of it. Made before the socket is
/// bound or connected, in the thread of the socket; only used there. ZeroMQ may wait
/// for ever to report to one who no longer listens, so it ends before the socket does.
class Peers : private zmq::monitor_t {
 public:
  explicit Peers(zmq::socket_t& socket) {
    init(socket, "inproc://peers",
         ZMQ_EVENT_CONNECTED | ZMQ_EVENT_ACCEPTED | ZMQ_EVENT_DISCONNECTED);
  }
  ~Peers() override { close(); }
  Peers(const Peers&) = delete;
  Peers& operator=(const Peers&) = delete;

  /// To be called now and then, so that events do not pile up in ZeroMQ.
  bool any() {
    while (check_event()) {
    }
    return !connections_.empty();
  }

  /// True: one of them has left.
  bool has_lost_one() const { return has_lost_one_; }
  /// True: the system holds nothing that they have not read from a Unix socket, or that their
  /// system has not confirmed by TCP. What ZeroMQ holds is not counted.
  bool have_taken_all() const {
    return std::none_of(connections_.begin(), connections_.end(), [](int file) {
      int held_bytes = 0;
      return ioctl(file, SIOCOUTQ, &held_bytes) == 0 && held_bytes > 0;
    });
  }

  void close() { abort(); }

 private:
  void on_event_connected(const zmq_event_t& event, const char*) override {
    connections_.insert(event.value);
  }
  void on_event_accepted(const zmq_event_t& event, const char*) override {
    connections_.insert(event.value);
  }
  void on_event_disconnected(const zmq_event_t& event, const char*) override {
    if (connections_.erase(event.value) > 0) has_lost_one_ = true;
  }

  std::set<int> connections_;  ///< by file descriptor
  bool has_lost_one_ = false;
};

}  // namespace kitbag::zmq_transport
