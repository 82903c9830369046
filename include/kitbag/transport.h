#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "kitbag/bag.h"
#include "kitbag/error.h"
#include "kitbag/stream.h"

namespace kitbag {

/// A topic that is to be listened to before anybody sends on it.
struct ExpectedTopic {
  std::string topic;
  std::string type;  ///< as its world writes it: "std_msgs/msg/String"
};

/// What is wanted of a live system.
struct Subscription {
  Selection select = {};
  std::vector<ExpectedTopic> expected = {};  ///< beside `select`; not all transports heed it
  /// Told of what is wrong with the system, not with the caller; from any thread. Empty: nobody is.
  OnProblem on_warning = {};
};

/// How a live system is spoken to.
struct Publication {
  /// What a publisher makes its caller wait for ends with it.
  std::stop_token stop = {};
  /// Told of messages that cannot be sent, once a channel; on the caller's thread. Empty: nobody
  /// is.
  OnProblem on_warning = {};
};

/// Listens to a live system and pushes its messages into a Feed, which must outlive it. Destroyed,
/// it has ended; that does not wait for room in the feed where the feed was abandoned.
class Subscriber {
 public:
  virtual ~Subscriber() = default;

  /// Nothing new comes in; what has come is pushed, then the feed is closed. Returns at once; from
  /// any thread.
  virtual void stop() = 0;
};

/// Sends messages into a live system when they are written, at once. close() says that no more will
/// come. What it makes its caller wait for ends with Publication::stop, and Error (cancelled).
class Publisher : public Sink {
 public:
  /// Waits for somebody to listen, on each channel that was declared where the system knows. False:
  /// `wait` ended first.
  virtual bool await_subscribers(const Wait& wait) = 0;
};

}  // namespace kitbag
