#include <fmt/format.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "transport/broker/publisher.h"
#include "transport/mqtt/client.h"
#include "transport/mqtt/transport.h"

// A description is retained, so that the broker gives it to who comes later, and sent again after
// each reconnection: a broker may have forgotten it. Messages of latched channels are retained too.
//
// libmosquitto copies what it sends, and keeps it until the broker has acknowledged it. The number
// and size of messages under way are bounded here. With quality 0 an acknowledgement means that the
// message was given to the operating system.

namespace kitbag::mqtt {
namespace {

constexpr std::size_t kMostMessages = 1000;
constexpr std::size_t kMostBytes = 64 << 20;
constexpr std::size_t kMostPayloadBytes = 268'000'000;  ///< of the protocol, without its fields

struct FreeProperties {
  void operator()(mosquitto_property* list) const { mosquitto_property_free_all(&list); }
};
using Properties = std::unique_ptr<mosquitto_property, FreeProperties>;

Properties properties_of(const std::vector<broker::Field>& fields) {
  mosquitto_property* list = nullptr;
  for (const broker::Field& field : fields) {
    mosquitto_property_add_string_pair(&list, MQTT_PROP_USER_PROPERTY, field.name,
                                       field.value.c_str());
  }
  return Properties(list);
}

class MqttPublisher final : public broker::BrokerPublisher, private Listener {
 public:
  MqttPublisher(Endpoint endpoint, const Publication& how, const Session& session)
      : BrokerPublisher("broker", endpoint.shown(),
                        {name_of, topic_of, endpoint.address.prefix,
                         "a topic at a broker is UTF-8 of at most 65,535 bytes"},
                        std::nullopt, how, session),
        endpoint_(std::move(endpoint)),
        client_(endpoint_, *this, session) {
    client_.start();
    // Once kConnectTime to find somebody who accepts connections, once for the broker's answer.
    if (!client_.await({stop(), clock().steady() + 2 * kConnectTime})) {
      if (stop().stop_requested()) throw stopped(0);
      throw Error(ErrorCode::io, "the broker does not answer", endpoint_.shown());
    }
  }

  /// A broker does not report its subscribers.
  bool await_subscribers(const Wait& wait) override { return client_.await(wait); }

  void write(Batch&& batch) override {
    send(batch);
    throw_failure();
  }

  void close() override {
    if (!begin_close()) return;
    send_end();
    await_acknowledgements();
    client_.end(false);
    std::lock_guard lock(mutex_);
    report(refused_, mosquitto_reason_string(refusal_));
  }

 private:
  void submit(const Outgoing& message) override {
    std::size_t bytes = message.payload.size();
    if (bytes > kMostPayloadBytes) return refuse(message);
    // Not an end: a subscriber with once=1 that comes later would end at once.
    bool is_retained = message.kind == Kind::description ||
                       (message.kind == Kind::message && message.sent->is_latched);
    Properties properties = properties_of(message.fields);
    while (true) {
      await_room(bytes);
      int id = 0;
      int result = client_.publish(&id, message.name, message.payload, endpoint_.qos, is_retained,
                                   properties.get());
      if (result == MOSQ_ERR_OVERSIZE_PACKET || result == MOSQ_ERR_PAYLOAD_SIZE) {
        return refuse(message);
      }
      if (result == MOSQ_ERR_NO_CONN && endpoint_.qos == 0) continue;  // it was lost just now
      if (result != MOSQ_ERR_SUCCESS && result != MOSQ_ERR_NO_CONN) {
        throw Error(ErrorCode::io,
                    fmt::format("cannot send {}: {}", message.what(), mosquitto_strerror(result)),
                    endpoint_.shown());
      }
      // Without a connection the library keeps it, and sends it when there is one.
      return note(id, bytes);
    }
  }

  void refuse(const Outgoing& message) {
    std::string why = fmt::format("a message of {} bytes is larger than the broker takes",
                                  message.payload.size());
    if (message.kind == Kind::message) return leave_out_message(*message.sent, why);
    if (message.kind == Kind::description) {
      return leave_out(*message.sent, "its definition is larger than the broker takes");
    }
    throw Error(ErrorCode::unsupported, fmt::format("cannot send {}: {}", message.what(), why),
                endpoint_.shown());
  }

  void note(int id, std::size_t bytes) {
    std::lock_guard lock(mutex_);
    if (early_.erase(id) > 0) return;
    if (under_way_.emplace(id, bytes).second) bytes_ += bytes;
  }

  void await_room(std::size_t bytes) {
    std::unique_lock lock(mutex_);
    auto has_room = [&] {
      // A message that is larger than all the room goes alone.
      bool fits =
          under_way_.size() < kMostMessages && (bytes_ == 0 || bytes_ + bytes <= kMostBytes);
      return failure_ || (client_.is_connected() && fits);
    };
    bool is_there = clock().wait(lock, changed_, {stop(), patience_end()}, has_room);
    if (failure_) std::rethrow_exception(failure_);
    if (is_there) return;
    throw stop().stop_requested() ? stopped(under_way_.size())
                                  : not_acknowledged(under_way_.size());
  }

  void await_acknowledgements() {
    std::unique_lock lock(mutex_);
    while (!under_way_.empty() && !failure_) {
      std::size_t left = under_way_.size();
      clock().wait(lock, changed_, {stop(), patience_end()},
                   [&] { return under_way_.size() < left || failure_ != nullptr; });
      if (stop().stop_requested()) throw stopped(under_way_.size());
      if (under_way_.size() == left && !failure_) throw not_acknowledged(left);
    }
    if (failure_) std::rethrow_exception(failure_);
  }

  void throw_failure() {
    std::lock_guard lock(mutex_);
    if (failure_) std::rethrow_exception(failure_);
  }

  void on_connected() override {
    describe_anew();
    std::lock_guard lock(mutex_);
    changed_.notify_all();
  }
  void on_message(const mosquitto_message&, const mosquitto_property*) override {}
  void on_subscribed(int, int) override {}
  void on_unsubscribed(int) override {}

  void on_published(int id, int reason) override {
    std::lock_guard lock(mutex_);
    auto found = under_way_.find(id);
    if (found == under_way_.end()) {
      early_.insert(id);
    } else {
      bytes_ -= found->second;
      under_way_.erase(found);
    }
    if (reason >= 0x80) {
      ++refused_;
      refusal_ = reason;
    }
    changed_.notify_all();
  }

  void on_tick() override {
    // client_ says that it is connected after on_connected().
    std::lock_guard lock(mutex_);
    changed_.notify_all();
  }

  void on_lost(const Error& error) override { warn_lost(error); }

  void on_end(std::exception_ptr error) override {
    std::lock_guard lock(mutex_);
    failure_ = error;
    changed_.notify_all();
  }

  Endpoint endpoint_;

  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::unordered_map<int, std::size_t> under_way_;  ///< bytes by id, with the lock
  std::unordered_set<int> early_;  ///< acknowledged before they were noted; with the lock
  std::size_t bytes_ = 0;          ///< of under_way_
  std::uint64_t refused_ = 0;      ///< with the lock
  int refusal_ = 0;
  std::exception_ptr failure_;  ///< likewise
  Client client_;               ///< last: its thread ends before the rest is gone
};

}  // namespace

std::unique_ptr<Publisher> publish(const Location& location, const Publication& how,
                                   const Session& session) {
  return std::make_unique<MqttPublisher>(Endpoint::of(location), how, session);
}

}  // namespace kitbag::mqtt
