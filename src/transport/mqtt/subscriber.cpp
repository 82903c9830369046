#include <fmt/format.h>

#include <atomic>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "transport/broker/beginning.h"
#include "transport/broker/intake.h"
#include "transport/mqtt/client.h"
#include "transport/mqtt/transport.h"

// A broker sends a retained message once for each subscription. Descriptions of channels are
// retained, and asked for with quality 0 at each connection: so they come at once, also where many
// messages wait for this client. Other retained messages come if the subscription is new, not when
// a connection was lost for a moment.
//
// A stop is answered in order: the broker confirms that it has ended the subscription behind the
// messages that it has sent. A client with a name does not unsubscribe: the broker holds what comes
// for the next time.
//
// While push() waits for room in the feed, nothing is read, and the broker holds what comes. If
// that takes longer than it waits for a sign of life, it ends the connection, which is then made
// again.

namespace kitbag::mqtt {
namespace {

/// Fields of a message beyond these are not looked at.
constexpr int kMostProperties = 64;
/// How long a stop waits for what is on its way: at least, without a message, and in all.
constexpr Duration kQuiet = std::chrono::milliseconds(100);
constexpr Duration kMostDrain = std::chrono::milliseconds(700);

struct FreeText {
  void operator()(char* text) const { std::free(text); }
};
using Text = std::unique_ptr<char, FreeText>;

broker::Fields fields_of(const mosquitto_property* properties) {
  broker::Fields fields;
  bool is_next = false;
  for (int i = 0; properties && i < kMostProperties; ++i) {
    char* name = nullptr;
    char* value = nullptr;
    properties = mosquitto_property_read_string_pair(properties, MQTT_PROP_USER_PROPERTY, &name,
                                                     &value, is_next);
    Text name_owner(name);
    Text value_owner(value);
    if (properties && name && value) fields.take(name, value);
    is_next = true;
  }
  return fields;
}

class MqttSubscriber final : public Subscriber, private Listener {
 public:
  MqttSubscriber(Endpoint endpoint, const Subscription& wanted, Feed& feed, const Session& session)
      : endpoint_(std::move(endpoint)),
        clock_(session.clock()),
        beginning_(*clock_, feed),
        intake_(wanted, endpoint_.shown(), endpoint_.keeps_time, session, feed),
        client_(endpoint_, *this, session) {
    client_.start();
    beginning_.await();
  }

  void stop() override {
    is_stopped_ = true;
    if (!client_.is_connected()) client_.stop();
  }
  std::optional<std::vector<LiveTopic>> topics() const override { return intake_.topics(); }

 private:
  void on_connected() override {
    std::string below = endpoint_.address.prefix.empty() ? "" : endpoint_.address.prefix + "/";
    std::string descriptions = below + std::string(broker::kChannelsTopic.substr(1)) + "+";
    client_.subscribe(&descriptions_id_, descriptions, 0, MQTT_SUB_OPT_SEND_RETAIN_ALWAYS);
    client_.subscribe(&messages_id_, filter(), endpoint_.qos, MQTT_SUB_OPT_SEND_RETAIN_NEW);
    if (std::exchange(is_lost_, false)) {
      intake_.warn(ErrorCode::remark, "the broker is there again");
    }
  }

  std::string filter() const {
    return endpoint_.address.prefix.empty() ? "#" : endpoint_.address.prefix + "/#";
  }

  void on_subscribed(int id, int reason) override {
    if (reason >= 0x80) {
      throw Error(ErrorCode::invalid,
                  fmt::format("the broker refuses the subscription to {}: {}", filter(),
                              mosquitto_reason_string(reason)),
                  endpoint_.shown());
    }
    if (id != messages_id_) return;
    if (reason < endpoint_.qos) {
      intake_.warn(ErrorCode::unsupported,
                   fmt::format("the broker offers quality of service {} only", reason));
    }
    beginning_.set_ready();
  }

  void on_message(const mosquitto_message& message, const mosquitto_property* properties) override {
    last_message_ = clock_->steady();
    auto topic = topic_of(endpoint_.address.prefix, message.topic);
    if (!topic) return;
    broker::Fields fields = fields_of(properties);
    ByteView payload(static_cast<const std::byte*>(message.payload),
                     static_cast<std::size_t>(message.payloadlen));
    bool has_ended = intake_.take(std::move(*topic), fields, payload, nullptr);
    if (has_ended && endpoint_.is_once) is_stopped_ = true;
  }

  void on_tick() override {
    intake_.tick();
    if (!is_stopped_) return;
    SteadyTime now = clock_->steady();
    if (stopped_at_ == SteadyTime()) {
      stopped_at_ = now;
      last_message_ = now;
      if (endpoint_.client.empty()) {
        client_.unsubscribe(nullptr, filter());
      } else {
        is_unsubscribed_ = true;
      }
    }
    bool is_quiet = is_unsubscribed_ && now - last_message_ >= kQuiet;
    if (is_quiet || now - stopped_at_ >= kMostDrain) client_.end(true);
  }

  void on_unsubscribed(int) override { is_unsubscribed_ = true; }
  void on_published(int, int) override {}

  void on_lost(const Error& error) override {
    is_lost_ = true;
    if (is_stopped_) return client_.stop();
    intake_.warn(error.code(), error.message() + "; trying again until it succeeds");
  }

  void on_end(std::exception_ptr error) override {
    try {
      if (!error) intake_.finish();
    } catch (...) {
      error = std::current_exception();
    }
    beginning_.end(error);
  }

  Endpoint endpoint_;
  ClockPtr clock_;
  broker::Beginning beginning_;
  std::atomic<bool> is_stopped_ = false;

  // Of the client's thread:
  broker::Intake intake_;
  int messages_id_ = 0;
  int descriptions_id_ = 0;
  bool is_unsubscribed_ = false;
  bool is_lost_ = false;
  SteadyTime stopped_at_{};
  SteadyTime last_message_{};
  Client client_;  ///< last: its thread ends before the rest is gone
};

}  // namespace

std::unique_ptr<Subscriber> subscribe(const Location& location, const Subscription& wanted,
                                      Feed& feed, const Session& session) {
  return std::make_unique<MqttSubscriber>(Endpoint::of(location), wanted, feed, session);
}

}  // namespace kitbag::mqtt
