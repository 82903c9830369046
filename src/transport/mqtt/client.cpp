#include "transport/mqtt/client.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "transport/broker/fields.h"
#include "transport/broker/tcp.h"
#include "transport/broker/within.h"

// One thread polls the socket of libmosquitto, and makes a new connection when one is lost. The
// library's own thread would wait in connect() where no stop reaches it; here a first connection,
// which can be left alone, shows that the broker is there, and only then the library makes its own.
//
// Other threads may publish: the library has locks, and an eventfd wakes the thread that polls.
// Callbacks come on the polling thread, through C, which exceptions must not cross: they are kept,
// and thrown behind it.
//
// libmosquitto keeps what is not acknowledged, and sends it again after a reconnection.

namespace kitbag::mqtt {
namespace {

constexpr int kKeepAliveS = 30;
constexpr std::uint32_t kShortExpiryS = 3600;  ///< of a session whose client has a random id
constexpr int kInFlight = 500;
constexpr int kLookMs = 100;
constexpr Duration kConnectAgain = std::chrono::seconds(1);
constexpr const char* kSystemCertificates = "/etc/ssl/certs";

constexpr int kRefused = 0x80;  // reasons from here on
constexpr int kUnspecified = 0x80;
constexpr int kBadVersion = 0x84;
constexpr int kBadUser = 0x86;
constexpr int kNotAuthorized = 0x87;
constexpr int kUnavailable = 0x88;
constexpr int kBusy = 0x89;
constexpr int kTakenOver = 0x8e;
constexpr int kQuota = 0x97;
constexpr int kOldBadVersion = 1;  // of brokers that know MQTT 3 alone

void begin_library() {
  static const int kBegun = mosquitto_lib_init();
  (void)kBegun;
}

/// A property of a packet, as long as the packet is made.
class ConnectProperties {
 public:
  ConnectProperties() = default;
  ~ConnectProperties() { mosquitto_property_free_all(&list_); }
  ConnectProperties(const ConnectProperties&) = delete;
  ConnectProperties& operator=(const ConnectProperties&) = delete;

  void add(int what, std::uint32_t value) { mosquitto_property_add_int32(&list_, what, value); }
  const mosquitto_property* get() const { return list_; }

 private:
  mosquitto_property* list_ = nullptr;
};

}  // namespace

Client::Client(const Endpoint& endpoint, Listener& listener, const Session& session)
    : endpoint_(endpoint), listener_(listener), session_(session), id_(endpoint.client) {
  begin_library();
  wake_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (wake_ < 0) throw Error(ErrorCode::io, std::strerror(errno), "eventfd");
  if (id_.empty()) id_ = fmt::format("kitbag-{:016x}", broker::random_sender());
  try {
    set_up();
  } catch (...) {
    close(wake_);
    throw;
  }
}

Client::~Client() {
  stop();
  if (thread_.joinable()) thread_.join();
  client_.reset();
  close(wake_);
}

void Client::set_up() {
  // Without a clean start: a session that the broker still has goes on, with what was not
  // acknowledged. How long the broker keeps it is said in connect() and end().
  client_.reset(mosquitto_new(id_.c_str(), false, this));
  mosquitto* client = client_.get();
  if (!client) throw Error(ErrorCode::io, std::strerror(errno), endpoint_.shown());
  mosquitto_int_option(client, MOSQ_OPT_PROTOCOL_VERSION, MQTT_PROTOCOL_V5);
  mosquitto_int_option(client, MOSQ_OPT_RECEIVE_MAXIMUM, kInFlight);
  mosquitto_int_option(client, MOSQ_OPT_SEND_MAXIMUM, kInFlight);
  mosquitto_int_option(client, MOSQ_OPT_TCP_NODELAY, 1);
  // Otherwise the library writes what a thread publishes to the socket at once, in that thread.
  mosquitto_threaded_set(client, true);
  if (!endpoint_.user.empty()) {
    const char* password = endpoint_.password.empty() ? nullptr : endpoint_.password.c_str();
    mosquitto_username_pw_set(client, endpoint_.user.c_str(), password);
  }
  if (endpoint_.is_tls) {
    auto text = [](const std::string& path) { return path.empty() ? nullptr : path.c_str(); };
    int result = mosquitto_tls_set(client, text(endpoint_.ca),
                                   endpoint_.ca.empty() ? kSystemCertificates : nullptr,
                                   text(endpoint_.certificate), text(endpoint_.key), nullptr);
    if (result != MOSQ_ERR_SUCCESS) throw error_of(result);
  }
  set_callbacks();
}

template <class Call>
void Client::guarded(const Call& call) {
  // The connection ends as soon as the library returns. What it calls until then has no effect.
  if (thrown_) return;
  try {
    call();
  } catch (...) {
    thrown_ = std::current_exception();
  }
}

void Client::set_callbacks() {
  mosquitto* to = client_.get();
  mosquitto_connect_v5_callback_set(
      to, [](mosquitto*, void* me, int reason, int, const mosquitto_property*) {
        static_cast<Client*>(me)->answer_ = reason;
      });
  mosquitto_disconnect_v5_callback_set(
      to, [](mosquitto*, void* me, int reason, const mosquitto_property*) {
        static_cast<Client*>(me)->disconnect_reason_ = reason;
      });
  mosquitto_message_v5_callback_set(to, [](mosquitto*, void* me, const mosquitto_message* message,
                                           const mosquitto_property* properties) {
    auto* client = static_cast<Client*>(me);
    client->guarded([&] { client->listener_.on_message(*message, properties); });
  });
  mosquitto_publish_v5_callback_set(
      to, [](mosquitto*, void* me, int id, int reason, const mosquitto_property*) {
        auto* client = static_cast<Client*>(me);
        client->guarded([&] { client->listener_.on_published(id, reason); });
      });
  mosquitto_subscribe_v5_callback_set(to, [](mosquitto*, void* me, int id, int count,
                                             const int* reasons, const mosquitto_property*) {
    auto* client = static_cast<Client*>(me);
    client->guarded(
        [&] { client->listener_.on_subscribed(id, count > 0 ? reasons[0] : kUnspecified); });
  });
  mosquitto_unsubscribe_v5_callback_set(
      to, [](mosquitto*, void* me, int id, const mosquitto_property*) {
        auto* client = static_cast<Client*>(me);
        client->guarded([&] { client->listener_.on_unsubscribed(id); });
      });
  mosquitto_log_callback_set(to, [](mosquitto*, void* me, int level, const char* text) {
    if (level == MOSQ_LOG_ERR) static_cast<Client*>(me)->log_ = text;
  });
}

void Client::start() {
  thread_ = std::thread([this] { run(); });
}

void Client::stop() {
  is_ending_ = true;
  stop_.request_stop();
  wake();
}

void Client::wake() const {
  const std::uint64_t one = 1;
  [[maybe_unused]] auto written = write(wake_, &one, sizeof one);  // full: it is set already
}

bool Client::await(const Wait& wait) {
  std::unique_lock lock(mutex_);
  clock_.wait(lock, changed_, wait, [this] { return was_connected_ || failure_; });
  if (failure_) std::rethrow_exception(failure_);
  return was_connected_;
}

void Client::end(bool keeps_session) {
  if (!is_connected_) return stop();
  is_ending_ = true;
  ConnectProperties properties;
  // A random id never comes back, so the broker need not keep the session of one.
  std::uint32_t expiry_s = keeps_session && !endpoint_.client.empty() ? endpoint_.expiry_s : 0;
  properties.add(MQTT_PROP_SESSION_EXPIRY_INTERVAL, expiry_s);
  mosquitto_disconnect_v5(client_.get(), 0, properties.get());
  wake();
}

int Client::publish(int* id, const std::string& topic, ByteView payload, int qos, bool is_retained,
                    const mosquitto_property* properties) {
  int result =
      mosquitto_publish_v5(client_.get(), id, topic.c_str(), static_cast<int>(payload.size()),
                           payload.data(), qos, is_retained, properties);
  wake();
  return result;
}

int Client::subscribe(int* id, const std::string& filter, int qos, int options) {
  int result = mosquitto_subscribe_v5(client_.get(), id, filter.c_str(), qos, options, nullptr);
  wake();
  return result;
}

int Client::unsubscribe(int* id, const std::string& filter) {
  int result = mosquitto_unsubscribe(client_.get(), id, filter.c_str());
  wake();
  return result;
}

void Client::run() {
  std::exception_ptr failure;
  try {
    while (!is_ending_) {
      try {
        if (connect()) serve();
      } catch (const Error& error) {
        // The first connection has to succeed, or await() throws why it did not. Later only what
        // does not pass by itself is thrown, such as a password that is refused.
        bool may_pass = error.code() == ErrorCode::io && was_connected_;
        if (is_ending_ && error.code() == ErrorCode::io) break;
        if (!may_pass) throw;
        if (!std::exchange(is_reported_, true)) listener_.on_lost(error);
      }
      is_connected_ = false;
      if (!is_ending_) clock_.sleep({stop_.get_token(), clock_.steady() + kConnectAgain});
    }
  } catch (...) {
    failure = std::current_exception();
  }
  is_connected_ = false;
  {
    std::lock_guard lock(mutex_);
    // Also without a failure: somebody may be waiting for the first connection.
    failure_ =
        failure
            ? failure
            : std::make_exception_ptr(Error(ErrorCode::cancelled, "stopped", endpoint_.shown()));
    changed_.notify_all();
  }
  listener_.on_end(failure);
}

/// False: it was stopped. Throws Error.
/// The library's call cannot be stopped, so it is made only when somebody accepts connections.
bool Client::connect() {
  const broker::Address& address = endpoint_.address;
  if (!broker::await_server(address, kConnectTime, stop_.get_token())) return false;
  ConnectProperties properties;
  properties.add(MQTT_PROP_SESSION_EXPIRY_INTERVAL,
                 endpoint_.client.empty() ? kShortExpiryS : endpoint_.expiry_s);
  log_.clear();
  answer_.reset();
  disconnect_reason_ = 0;
  mosquitto* client = client_.get();
  int result = std::exchange(has_tried_, true)
                   ? mosquitto_reconnect(client)
                   : mosquitto_connect_bind_v5(client, address.host.c_str(), address.port,
                                               kKeepAliveS, nullptr, properties.get());
  if (result != MOSQ_ERR_SUCCESS) throw error_of(result);
  return true;
}

/// Until the connection is over: returns if it was ended, throws Error if it is lost.
void Client::serve() {
  mosquitto* client = client_.get();
  SteadyTime until = clock_.steady() + kConnectTime;
  while (true) {
    int socket = mosquitto_socket(client);
    if (socket < 0) break;
    short events = POLLIN;
    if (mosquitto_want_write(client)) events |= POLLOUT;
    pollfd files[] = {{socket, events, 0}, {wake_, POLLIN, 0}};
    if (poll(files, 2, kLookMs) < 0 && errno != EINTR) {
      throw Error(ErrorCode::io, std::strerror(errno), "poll");
    }
    if (files[1].revents != 0) {
      std::uint64_t count = 0;
      [[maybe_unused]] auto taken = read(wake_, &count, sizeof count);
    }
    int result = MOSQ_ERR_SUCCESS;
    if (files[0].revents != 0) result = mosquitto_loop_read(client, 1);
    if (result == MOSQ_ERR_SUCCESS && mosquitto_want_write(client)) {
      result = mosquitto_loop_write(client, 1);
    }
    if (result == MOSQ_ERR_SUCCESS) result = mosquitto_loop_misc(client);
    // The most precise reason first: what a callback has thrown, then what the broker has said. The
    // library's result only says that the connection is over.
    if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
    if (answer_ && !is_connected_) accept(*answer_);
    if (disconnect_reason_ >= kRefused) throw error_of_broker(disconnect_reason_);
    if (stop_.stop_requested()) return;
    if (result != MOSQ_ERR_SUCCESS) {
      if (is_ending_) return;
      throw error_of(result);
    }
    if (!answer_ && clock_.steady() >= until) {
      throw Error(ErrorCode::io, "the broker does not answer", endpoint_.shown());
    }
    if (is_connected_) listener_.on_tick();
  }
  if (!is_ending_) throw error_of(MOSQ_ERR_CONN_LOST);
}

void Client::accept(int reason) {
  if (reason != 0) throw error_of_broker(reason);
  is_reported_ = false;
  is_connected_ = true;
  listener_.on_connected();
  std::lock_guard lock(mutex_);
  was_connected_ = true;
  changed_.notify_all();
}

Error Client::error_of(int result) const {
  if (result == MOSQ_ERR_TLS) {
    return {
        ErrorCode::invalid,
        fmt::format("the broker cannot be reached over TLS{}{}; see the parameters ca, cert and "
                    "key",
                    log_.empty() ? "" : ": ", log_),
        endpoint_.shown()};
  }
  std::string why = result == MOSQ_ERR_ERRNO ? std::strerror(errno) : mosquitto_strerror(result);
  if (result == MOSQ_ERR_CONN_LOST) why = "the connection to the broker is lost";
  return {result == MOSQ_ERR_INVAL ? ErrorCode::invalid : ErrorCode::io, why, endpoint_.shown()};
}

Error Client::error_of_broker(int reason) const {
  auto error = [this](ErrorCode code, const std::string& what) {
    return Error(code, what, endpoint_.shown());
  };
  switch (reason) {
    case kBadUser:
    case kNotAuthorized:
      return error(ErrorCode::invalid,
                   endpoint_.user.empty()
                       ? "the broker wants a user and a password; set KITBAG_MQTT_USER and "
                         "KITBAG_MQTT_PASSWORD, or the parameters user and password"
                       : "the broker refuses the user or the password");
    case kBadVersion:
    case kOldBadVersion:
      return error(ErrorCode::unsupported, "the broker does not know MQTT 5, which kitbag needs");
    case kTakenOver:
      return error(ErrorCode::invalid,
                   fmt::format("another client with the id \"{}\" has connected", id_));
    case kUnavailable:
    case kBusy:
    case kQuota:
      return error(ErrorCode::io,
                   fmt::format("the broker says: {}", mosquitto_reason_string(reason)));
    default:
      // Such as a broker that shuts down (0x8b): that passes.
      return error(
          reason < kRefused || disconnect_reason_ == 0 ? ErrorCode::invalid : ErrorCode::io,
          fmt::format("the broker says: {}", mosquitto_reason_string(reason)));
  }
}

}  // namespace kitbag::mqtt
