#include <fmt/format.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include "kitbag/session.h"
#include "transport/broker/beginning.h"
#include "transport/broker/intake.h"
#include "transport/nats/connection.h"
#include "transport/nats/pull.h"
#include "transport/nats/seen.h"
#include "transport/nats/transport.h"

// One thread connects, takes what comes, and connects again when the connection is lost.
//
// Without a stream a server sends what comes, and forgets it. libnats has a thread that queues it,
// within kQueuedBytes; what does not fit, and what is sent while there is no connection, is lost,
// and counted by the numbers of kitbag's senders.
//
// A stream keeps messages until they are acknowledged, which is when the feed has them. What was on
// its way when a connection was lost is delivered again after some seconds, out of order: by the
// number in the stream and those of kitbag's senders it is taken once.

namespace kitbag::nats {
namespace {

constexpr std::int64_t kNextMs = 50;
constexpr int kQueuedBytes = 128 << 20;
/// How long a stop waits for what is on its way.
constexpr Duration kMostDrain = std::chrono::milliseconds(600);
/// How long the end of a sender waits for messages that are delivered again.
constexpr Duration kMostRest = std::chrono::seconds(30);
/// Numbers that are remembered of a stream, and of a sender on a channel.
constexpr std::uint64_t kStreamNumbers = 1 << 20;
constexpr std::uint64_t kSenderNumbers = 1 << 13;
constexpr std::size_t kMostSenders = 10'000;

broker::Fields fields_of(natsMsg* message) {
  broker::Fields fields;
  for (const char* name : broker::kFieldNames) {
    const char* value = nullptr;
    if (natsMsgHeader_Get(message, name, &value) == NATS_OK && value) fields.take(name, value);
  }
  return fields;
}

class NatsSubscriber final : public Subscriber {
 public:
  NatsSubscriber(Endpoint endpoint, const Subscription& wanted, Feed& feed, const Session& session)
      : endpoint_(std::move(endpoint)),
        clock_(session.clock()),
        beginning_(*clock_, feed),
        intake_(wanted, endpoint_.shown(), endpoint_.keeps_time, session, feed),
        thread_([this](const std::stop_token& stop) { listen(stop); }) {
    beginning_.await();
  }

  void stop() override { thread_.request_stop(); }
  std::optional<std::vector<LiveTopic>> topics() const override { return intake_.topics(); }

 private:
  void listen(const std::stop_token& stop) {
    std::exception_ptr failure;
    try {
      while (!stop.stop_requested() && !has_ended_) try_to_receive(stop);
      intake_.finish();
    } catch (...) {
      failure = std::current_exception();
    }
    beginning_.end(failure);
  }

  /// One connection. Throws Error unless a new one may help.
  void try_to_receive(const std::stop_token& stop) {
    try {
      Connection connection = connect(endpoint_, stop);
      if (!connection) return;
      if (endpoint_.stream.empty()) {
        receive(connection.get(), stop);
      } else {
        receive_stream(connection.get(), stop);
      }
    } catch (const Error& error) {
      if (error.code() != ErrorCode::io || !was_ready_) throw;
      if (stop.stop_requested()) return;
      if (!std::exchange(is_lost_, true)) {
        intake_.warn(error.code(), error.message() + "; trying again until it succeeds");
      }
      clock_->sleep({stop, clock_->steady() + kConnectAgain});
    }
  }

  void be_ready() {
    if (std::exchange(is_lost_, false)) {
      intake_.warn(ErrorCode::remark, "the server is there again");
    }
    was_ready_ = true;
    beginning_.set_ready();
  }

  // --- without a stream ---

  void receive(natsConnection* connection, const std::stop_token& stop) {
    natsSubscription* made = nullptr;
    natsStatus status =
        natsConnection_SubscribeSync(&made, connection, endpoint_.everything().c_str());
    if (status != NATS_OK) throw error_of(status, "subscribe", endpoint_);
    NatsSubscription subscription(made);
    natsSubscription_SetPendingLimits(made, -1, kQueuedBytes);
    status = natsConnection_FlushTimeout(connection, 5000);
    require_permission(connection, endpoint_);
    if (status != NATS_OK) throw error_of(status, "subscribe", endpoint_);
    be_ready();
    std::int64_t dropped = 0;
    while (!stop.stop_requested() && !has_ended_) {
      take_next(made);
      std::int64_t all = 0;
      natsSubscription_GetDropped(made, &all);
      if (std::exchange(dropped, all) == 0 && all > 0) {
        intake_.warn(ErrorCode::limit,
                     "messages were dropped because kitbag is too slow; those of kitbag's senders "
                     "are counted");
      }
    }
    // What the server has sent before it answers has arrived then.
    SteadyTime until = clock_->steady() + kMostDrain;
    natsConnection_FlushTimeout(connection, 300);
    std::uint64_t queued = 1;
    while (!has_ended_ && queued > 0 && clock_->steady() < until) {
      if (natsSubscription_QueuedMsgs(made, &queued) != NATS_OK) break;
      if (queued > 0) take_next(made);
    }
  }

  void take_next(natsSubscription* subscription) {
    intake_.tick();
    natsMsg* got = nullptr;
    natsStatus status = natsSubscription_NextMsg(&got, subscription, kNextMs);
    if (status == NATS_TIMEOUT || status == NATS_SLOW_CONSUMER) return;
    if (status != NATS_OK) {
      throw Error(
          ErrorCode::io,
          fmt::format("the connection to the server is lost: {}", natsStatus_GetText(status)),
          endpoint_.shown());
    }
    std::shared_ptr<natsMsg> message(got, Free());
    take(message, fields_of(got));
  }

  void take(const std::shared_ptr<natsMsg>& message, broker::Fields fields) {
    auto topic = topic_of(endpoint_.address.prefix, natsMsg_GetSubject(message.get()));
    if (!topic) return;
    ByteView payload(reinterpret_cast<const std::byte*>(natsMsg_GetData(message.get())),
                     static_cast<std::size_t>(natsMsg_GetDataLength(message.get())));
    bool is_end =
        intake_.take(std::move(*topic), fields, payload, [&message]() -> Owner { return message; });
    if (is_end && endpoint_.is_once) has_ended_ = true;
  }

  // --- from a stream ---

  void receive_stream(natsConnection* connection, const std::stop_token& stop) {
    Stream stream = Stream::of(connection, endpoint_);
    bool is_again = was_ready_;
    if (!is_again) take_descriptions(stream);
    Pull pull(connection, stream, endpoint_, consumer_, is_again ? newest_ + 1 : 0);
    be_ready();
    while (!stop.stop_requested() && !has_ended_) take_next(pull);
    natsConnection_FlushTimeout(connection, 300);  // the acknowledgements
    // What was on its way when a connection was lost is delivered again, behind the end.
    SteadyTime until = clock_->steady() + kMostRest;
    while (is_again && !stop.stop_requested() && clock_->steady() < until && pull.left() > 0) {
      take_next(pull);
      natsConnection_FlushTimeout(connection, 300);
    }
    pull.forget();
  }

  void take_next(Pull& pull) {
    intake_.tick();
    std::shared_ptr<natsMsg> message = pull.next(kNextMs);
    if (!message) return;
    jsMsgMetaData* made = nullptr;
    natsStatus status = natsMsg_GetMetaData(&made, message.get());
    std::unique_ptr<jsMsgMetaData, Free> about(made);
    std::uint64_t number = status == NATS_OK ? about->Sequence.Stream : 0;
    newest_ = std::max(newest_, number);
    broker::Fields fields = fields_of(message.get());
    bool is_new = (number == 0 || seen_.take(number)) && is_new_of_sender(fields.header);
    if (is_new) {
      fields.header.number = 0;  // it is not out of order for who receives it
      take(message, std::move(fields));
    }
    pull.acknowledge(message.get());
  }

  bool is_new_of_sender(const framing::Header& header) {
    bool is_message = !header.id.empty();
    if (header.sender == 0 || header.number == 0 || !is_message) return true;
    std::string key = fmt::format("{:x} {}", header.sender, header.id);
    auto known = senders_.find(key);
    if (known == senders_.end()) {
      if (senders_.size() >= kMostSenders) return true;
      known = senders_.emplace(key, Seen(kSenderNumbers)).first;
    }
    return known->second.take(header.number);
  }

  /// The last description of each channel: a consumer may begin behind them.
  void take_descriptions(const Stream& stream) {
    std::string filter = subject_of(endpoint_.address.prefix, broker::kChannelsTopic);
    filter.back() = '>';  // for the word that is missing
    jsSubOptions options;
    jsSubOptions_Init(&options);
    options.Stream = endpoint_.stream.c_str();
    options.Config.DeliverPolicy = js_DeliverLastPerSubject;
    options.Config.AckPolicy = js_AckNone;
    natsSubscription* made = nullptr;
    natsStatus status =
        js_SubscribeSync(&made, stream.context.get(), filter.c_str(), nullptr, &options, nullptr);
    if (status != NATS_OK) throw error_of(status, "read the stream", endpoint_);
    NatsSubscription subscription(made);
    jsConsumerInfo* info = nullptr;
    status = natsSubscription_GetConsumerInfo(&info, made, nullptr, nullptr);
    std::unique_ptr<jsConsumerInfo, Free> owner(info);
    if (status != NATS_OK) throw error_of(status, "read the stream", endpoint_);
    std::uint64_t left = info->NumPending + info->Delivered.Consumer;
    while (left-- > 0) {
      natsMsg* got = nullptr;
      status = natsSubscription_NextMsg(&got, made, 2000);
      if (status != NATS_OK) break;  // it waits for no more than what was there
      std::shared_ptr<natsMsg> message(got, Free());
      take(message, fields_of(got));
    }
    natsSubscription_Unsubscribe(made);
  }

  Endpoint endpoint_;
  ClockPtr clock_;
  broker::Beginning beginning_;

  // The thread's:
  broker::Intake intake_;
  std::string consumer_ = fmt::format("kitbag-{:016x}", broker::random_sender());
  Seen seen_{kStreamNumbers};
  std::unordered_map<std::string, Seen> senders_;
  std::uint64_t newest_ = 0;  ///< number in the stream
  bool was_ready_ = false;
  bool is_lost_ = false;
  bool has_ended_ = false;
  std::jthread thread_;  ///< last: it ends before the rest is gone
};

}  // namespace

std::unique_ptr<Subscriber> subscribe(const Location& location, const Subscription& wanted,
                                      Feed& feed, const Session& session) {
  return std::make_unique<NatsSubscriber>(Endpoint::of(location), wanted, feed, session);
}

}  // namespace kitbag::nats
