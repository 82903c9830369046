#include <fmt/format.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "transport/broker/fields.h"
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
/// How long close() waits for a connection, and for an acknowledgement.
constexpr Duration kPatience = std::chrono::seconds(30);
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

class MqttPublisher final : public Publisher, private Listener {
 public:
  MqttPublisher(Endpoint endpoint, const Publication& how, const Session& session)
      : endpoint_(std::move(endpoint)),
        how_(how),
        session_(session),
        client_(endpoint_, *this, session) {
    client_.start();
    if (!client_.await({how_.stop, clock_.steady() + 2 * kConnectTime})) {
      if (how_.stop.stop_requested()) throw stopped(0);
      throw Error(ErrorCode::io, "the broker does not answer", endpoint_.shown());
    }
  }

  /// A broker does not report its subscribers.
  bool await_subscribers(const Wait& wait) override { return client_.await(wait); }

  void write(Batch&& batch) override {
    for (const auto& channel : batch.channels ? *batch.channels : Channels()) declare(channel);
    for (const Message& message : batch.messages()) send(message);
    throw_failure();
  }

  void close() override {
    if (std::exchange(is_closed_, true)) return;
    patience_ = kPatience;
    std::string name = name_of(endpoint_.address.prefix, broker::kEndTopic);
    submit(name, {}, false, properties_of({{broker::kEndField, "1"}}), "the end");
    await_acknowledgements();
    client_.end(false);
    report_refused();
    if (left_out_ > 0) {
      warn(ErrorCode::unsupported, fmt::format("{} messages were left out", left_out_));
    }
  }

 private:
  struct Sent {
    Sent(const Channel& of, std::string its_name, std::uint64_t sender)
        : name(std::move(its_name)),
          channel(of, sender, topic_of("", name) != of.topic),
          topic(of.topic),
          is_retained(is_latched(of)) {}

    std::string name;  ///< below the prefix; then the full one
    broker::SentChannel channel;
    std::string topic;
    bool is_retained;
    std::uint64_t described = 0;  ///< the connection on which it was
    bool is_left_out = false;     ///< reported
  };

  void declare(const ChannelPtr& channel) {
    if (!channel) return;
    if (channels_.size() <= channel->slot) channels_.resize(channel->slot + 1);
    auto& sent = channels_[channel->slot];
    if (sent) return;
    std::string name = name_of("", channel->topic);
    sent.emplace(*channel, name, sender_);
    sent->name = name.empty() ? name : name_of(endpoint_.address.prefix, channel->topic);
    if (sent->name.empty()) {
      leave_out(*sent, "a topic at a broker is UTF-8 of at most 65,535 bytes");
    }
  }

  void leave_out(Sent& sent, const std::string& why) {
    if (std::exchange(sent.is_left_out, true)) return;
    warn(ErrorCode::unsupported, fmt::format("{}: left out; {}", sent.topic, why));
  }

  void send(const Message& message) {
    Sent& sent = *channels_[message.channel->slot];
    if (sent.name.empty()) {
      ++left_out_;
      return;
    }
    describe(sent);
    const auto& fields = sent.channel.fields(message);
    submit(sent.name, message.data, sent.is_retained, properties_of(fields), sent.topic, &sent);
  }

  void describe(Sent& sent) {
    std::uint64_t connection = connections_;
    if (sent.described == connection) return;
    sent.described = connection;
    std::string name =
        name_of(endpoint_.address.prefix, std::string(broker::kChannelsTopic) + sent.channel.id());
    submit(name, as_bytes(sent.channel.description()), true,
           properties_of(sent.channel.description_fields()), sent.topic);
  }

  /// Sends a message as soon as there is room. `sent`: of the channel, where it may be left out.
  void submit(const std::string& name, ByteView payload, bool is_retained, Properties properties,
              const std::string& what, Sent* sent = nullptr) {
    if (payload.size() > kMostPayloadBytes) return refuse(sent, what, payload.size());
    while (true) {
      await_room(payload.size());
      int id = 0;
      int result =
          client_.publish(&id, name, payload, endpoint_.qos, is_retained, properties.get());
      if (result == MOSQ_ERR_OVERSIZE_PACKET || result == MOSQ_ERR_PAYLOAD_SIZE) {
        return refuse(sent, what, payload.size());
      }
      if (result == MOSQ_ERR_NO_CONN && endpoint_.qos == 0) continue;  // it was lost just now
      if (result != MOSQ_ERR_SUCCESS && result != MOSQ_ERR_NO_CONN) {
        throw Error(ErrorCode::io,
                    fmt::format("cannot send {}: {}", what, mosquitto_strerror(result)),
                    endpoint_.shown());
      }
      // Without a connection the library keeps it, and sends it when there is one.
      return note(id, payload.size());
    }
  }

  void refuse(Sent* sent, const std::string& what, std::size_t bytes) {
    std::string why = fmt::format("a message of {} bytes is larger than the broker takes", bytes);
    if (!sent) {
      throw Error(ErrorCode::unsupported, fmt::format("cannot send {}: {}", what, why),
                  endpoint_.shown());
    }
    ++left_out_;
    leave_out(*sent, why + "; further ones are counted");
  }

  void note(int id, std::size_t bytes) {
    std::lock_guard lock(mutex_);
    if (early_.erase(id) > 0) return;
    if (under_way_.emplace(id, bytes).second) bytes_ += bytes;
  }

  void await_room(std::size_t bytes) {
    std::unique_lock lock(mutex_);
    auto has_room = [&] {
      bool fits =
          under_way_.size() < kMostMessages && (bytes_ == 0 || bytes_ + bytes <= kMostBytes);
      return failure_ || (client_.is_connected() && fits);
    };
    SteadyTime until = patience_ ? clock_.steady() + *patience_ : kNever;
    bool is_there = clock_.wait(lock, changed_, {how_.stop, until}, has_room);
    if (failure_) std::rethrow_exception(failure_);
    if (is_there) return;
    throw how_.stop.stop_requested() ? stopped(under_way_.size())
                                     : not_acknowledged(under_way_.size());
  }

  void await_acknowledgements() {
    std::unique_lock lock(mutex_);
    while (!under_way_.empty() && !failure_) {
      std::size_t left = under_way_.size();
      Wait wait{how_.stop, clock_.steady() + kPatience};
      clock_.wait(lock, changed_, wait,
                  [&] { return under_way_.size() < left || failure_ != nullptr; });
      if (how_.stop.stop_requested()) throw stopped(under_way_.size());
      if (under_way_.size() == left && !failure_) throw not_acknowledged(left);
    }
    if (failure_) std::rethrow_exception(failure_);
  }

  void throw_failure() {
    std::lock_guard lock(mutex_);
    if (failure_) std::rethrow_exception(failure_);
  }

  void report_refused() {
    std::lock_guard lock(mutex_);
    if (refused_ == 0) return;
    throw Error(ErrorCode::io,
                fmt::format("the broker has refused {} messages: {}", refused_,
                            mosquitto_reason_string(refusal_)),
                endpoint_.shown());
  }

  Error stopped(std::size_t messages) const {
    std::string what = "stopped while waiting for the broker";
    if (messages > 0) {
      what += fmt::format("; it has not acknowledged the last {} messages", messages);
    }
    return {ErrorCode::cancelled, what, endpoint_.shown()};
  }
  Error not_acknowledged(std::size_t messages) const {
    return {ErrorCode::io,
            fmt::format("the broker has not acknowledged the last {} messages", messages),
            endpoint_.shown()};
  }

  void on_connected() override {
    ++connections_;
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

  void on_lost(const Error& error) override {
    warn(error.code(), error.message() + "; trying again until it succeeds");
  }

  void on_end(std::exception_ptr error) override {
    std::lock_guard lock(mutex_);
    failure_ = error;
    changed_.notify_all();
  }

  void warn(ErrorCode code, const std::string& what) const {
    if (how_.on_warning) how_.on_warning(Error(code, what, endpoint_.shown()));
  }

  Endpoint endpoint_;
  Publication how_;
  Session session_;
  Clock& clock_ = *session_.clock();
  const std::uint64_t sender_ = broker::random_sender();
  std::vector<std::optional<Sent>> channels_;  ///< by slot
  std::uint64_t left_out_ = 0;
  bool is_closed_ = false;
  std::optional<Duration> patience_;  ///< with a connection that is lost; absent: until a stop
  std::atomic<std::uint64_t> connections_ = 0;

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
