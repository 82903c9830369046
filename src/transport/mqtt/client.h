#pragma once

#include <mosquitto.h>
#include <mqtt_protocol.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>

#include "kitbag/error.h"
#include "kitbag/session.h"
#include "transport/mqtt/endpoint.h"

namespace kitbag::mqtt {

/// How long the first connection may take.
inline constexpr Duration kConnectTime = std::chrono::seconds(10);

/// Receives what a client reports. Called on the thread of the client.
class Listener {
 public:
  virtual ~Listener() = default;

  /// There is a connection, or a new one.
  virtual void on_connected() = 0;
  virtual void on_message(const mosquitto_message& message,
                          const mosquitto_property* properties) = 0;
  /// The broker has a message, or refuses it: reasons from 0x80 on.
  virtual void on_published(int id, int reason) = 0;
  virtual void on_subscribed(int id, int reason) = 0;
  virtual void on_unsubscribed(int id) = 0;
  /// Now and then, at least ten times a second.
  virtual void on_tick() = 0;
  /// The connection is lost, and the client tries again.
  virtual void on_lost(const Error& error) = 0;
  /// There will be no connection any more: it failed, or null: it was ended. The last call.
  virtual void on_end(std::exception_ptr error) = 0;
};

/// A connection to a broker, which is made again when it is lost. Its session at the broker lives
/// on meanwhile, so that neither side loses what the other has not confirmed.
class Client {
 public:
  /// `listener` outlives it. It is not called before start().
  Client(const Endpoint& endpoint, Listener& listener, const Session& session);
  /// Ends the connection without a word to the broker, if end() has not.
  ~Client();

  /// Begins to connect.
  void start();
  /// Waits for the first connection. False: `wait` ended first. Throws the error why there is none.
  bool await(const Wait& wait);
  bool is_connected() const { return is_connected_; }
  /// Ends the connection properly when all that waits is sent; from any thread. The broker forgets
  /// the session, unless the endpoint names the client and `keeps_session`.
  void end(bool keeps_session);
  /// Ends the attempts to connect, at once.
  void stop();

  /// Sends. From any thread. Returns what libmosquitto says.
  int publish(int* id, const std::string& topic, ByteView payload, int qos, bool is_retained,
              const mosquitto_property* properties);
  int subscribe(int* id, const std::string& filter, int qos, int options);
  int unsubscribe(int* id, const std::string& filter);

 private:
  struct Free {
    void operator()(mosquitto* client) const { mosquitto_destroy(client); }
  };

  void run();
  bool connect();
  void serve();
  void set_up();
  void set_callbacks();
  void wake() const;
  void accept(int reason);
  Error error_of(int result) const;
  Error error_of_broker(int reason) const;
  template <class Call>
  void guarded(const Call& call);

  Endpoint endpoint_;
  Listener& listener_;
  Session session_;
  Clock& clock_ = *session_.clock();
  std::string id_;
  int wake_ = -1;  ///< an eventfd
  std::unique_ptr<mosquitto, Free> client_;
  std::stop_source stop_;

  std::mutex mutex_;
  std::condition_variable_any changed_;
  bool was_connected_ = false;  ///< with the lock
  std::exception_ptr failure_;  ///< with the lock
  std::atomic<bool> is_connected_ = false;
  std::atomic<bool> is_ending_ = false;

  // Of the thread:
  bool has_tried_ = false;
  bool is_reported_ = false;   ///< that there is no connection
  std::optional<int> answer_;  ///< of the broker to the attempt to connect
  int disconnect_reason_ = 0;
  std::string log_;            ///< the last error that libmosquitto told
  std::exception_ptr thrown_;  ///< by the listener, inside of libmosquitto
  std::thread thread_;
};

}  // namespace kitbag::mqtt
