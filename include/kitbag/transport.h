#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "kitbag/bag.h"
#include "kitbag/error.h"
#include "kitbag/stream.h"

// What a transport implements: a Subscriber, which pushes the messages of a live system into a
// Feed, and a Publisher, which sends messages. Applications do not create them; they call
// Session::listen(), which returns a LiveSource (live.h), and Session::publish():
//
//   auto publisher = session.publish("ros2://");
//   run(*source, *publisher, *session.clock());
//   publisher->close();
//
// A subscriber has threads of its own. A publisher sends on the thread that calls write().
// docs/adding-a-transport.md lists what an implementation must do.

namespace kitbag {

/// A topic to listen to before anybody sends on it.
struct ExpectedTopic {
  std::string topic;  ///< its name
  std::string type;   ///< the type as its own system writes it: "std_msgs/msg/String"
};

/// What to receive from a live system.
struct Subscription {
  Selection select = {};                     ///< which channels
  std::vector<ExpectedTopic> expected = {};  ///< in addition to `select`; some transports ignore it
  /// Called with problems of the system, not of the caller; from any thread.
  OnWarning on_warning = {};
};

/// How to send to a live system.
struct Publication {
  /// Ends every wait of the publisher when stop is requested; the call then throws Error
  /// (cancelled).
  std::stop_token stop = {};
  /// Called with messages that cannot be sent, once per channel, on the thread of the caller.
  OnWarning on_warning = {};
};

/// A participant of a live system that sends or receives a topic.
struct LiveEndpoint {
  std::string node = {};  ///< "/camera_driver"; empty: the system does not say
  std::string qos = {};   ///< quality of service, as YAML in one line; empty: the system has none
};

/// A topic that a live system has now, whether anybody sends on it or not.
struct LiveTopic {
  std::string topic = {};                      ///< its name
  std::string type = {};                       ///< as its own system writes it; empty: not known
  std::vector<LiveEndpoint> publishers = {};   ///< those that are known
  std::vector<LiveEndpoint> subscribers = {};  ///< the same; kitbag itself is not among them
};

class Player;
class Recorder;

/// A file that a recorder or player has gone on to.
struct FileChange {
  std::string closed = {};  ///< the file that is complete or was played; empty: none
  std::string opened = {};  ///< the one after it; empty: none
};

/// Listens to a live system and pushes its messages into a Feed, which must outlive it. Destruction
/// unsubscribes; it does not wait for space in a feed that was abandoned.
class Subscriber {
 public:
  virtual ~Subscriber() = default;

  /// Stops listening: messages that have arrived are pushed, then the feed is closed. Returns at
  /// once. From any thread.
  virtual void stop() = 0;
  /// Returns the topics that the system has now, also those that the Subscription leaves out.
  /// Absent: the system cannot say. From any thread.
  virtual std::optional<std::vector<LiveTopic>> topics() const { return std::nullopt; }
  /// Offers the commands of `recorder` to the system, as services that its own tools know. They are
  /// called on threads of the subscriber. `recorder` outlives it. Called once.
  virtual void offer(Recorder& /*recorder*/) {}
  /// Tells the system that the recorder has gone on to another file. From any thread.
  virtual void tell(const FileChange& /*change*/) {}
};

/// Sends messages to a live system as soon as they are written. close() says that there are no
/// more. If Publication::stop is requested while a call waits, it throws Error (cancelled).
class Publisher : public Sink {
 public:
  /// Waits until each declared channel has a subscriber, if the system knows. Returns false if
  /// `wait` ended first.
  virtual bool await_subscribers(const Wait& wait) = 0;
  /// Returns whether a message waits until somebody receives it. A player begins with the first
  /// receiver then: otherwise everything that is due until one comes would be sent to it at once.
  virtual bool holds_until_received() const { return false; }
  /// Offers the commands of `player` to the system, as services that its own tools know. They are
  /// called on threads of the publisher. `player` outlives it. Called once.
  virtual void offer(Player& /*player*/) {}
  /// Tells the system that the player has gone on to another file. From any thread.
  virtual void tell(const FileChange& /*change*/) {}
};

}  // namespace kitbag
