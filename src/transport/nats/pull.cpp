#include "transport/nats/pull.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>

// A request asks for a number of messages, within bytes and for a time. The server sends them as
// they come, each at once, and a status where the request ends before its number. The next request
// is sent while half of the last one is still to come, so that the stream never pauses. Without a
// sign of life for a while the server may have forgotten the request, and it is sent again.

namespace kitbag::nats {
namespace {

constexpr std::int64_t kBatch = 512;
/// A server has no larger message than 64 MiB.
constexpr std::int64_t kBatchBytes = 72 << 20;
constexpr std::int64_t kExpiresNs = 30'000'000'000;
constexpr std::int64_t kHeartbeatNs = 2'000'000'000;
constexpr std::int64_t kSilentMs = 6'000;
constexpr std::int64_t kMostUnacknowledged = 4096;
constexpr std::int64_t kAckWaitNs = 5'000'000'000;
/// How long the server keeps a consumer that nobody uses.
constexpr std::int64_t kInactiveNs = 600'000'000'000;

std::int64_t number_of(natsMsg* message, const char* header) {
  const char* text = nullptr;
  std::int64_t number = 0;
  if (natsMsgHeader_Get(message, header, &text) == NATS_OK && text) {
    std::from_chars(text, text + std::string_view(text).size(), number);
  }
  return number;
}

}  // namespace

Pull::Pull(natsConnection* connection, const Stream& stream, const Endpoint& endpoint,
           const std::string& name, std::uint64_t first)
    : connection_(connection),
      context_(stream.context.get()),
      endpoint_(endpoint),
      consumer_(endpoint.durable.empty() ? name : endpoint.durable) {
  jsConsumerInfo* info = nullptr;
  natsStatus status = js_GetConsumerInfo(&info, context_, endpoint.stream.c_str(),
                                         consumer_.c_str(), nullptr, nullptr);
  if (status == NATS_NOT_FOUND) {
    jsConsumerConfig config;
    jsConsumerConfig_Init(&config);
    if (endpoint.durable.empty()) {
      config.Name = consumer_.c_str();
      config.InactiveThreshold = kInactiveNs;
    } else {
      config.Durable = consumer_.c_str();
    }
    std::string filter = endpoint.everything();
    config.FilterSubject = filter == ">" ? nullptr : filter.c_str();
    config.AckPolicy = js_AckExplicit;
    config.AckWait = kAckWaitNs;
    config.MaxAckPending = kMostUnacknowledged;
    config.DeliverPolicy = endpoint.is_from_now ? js_DeliverNew : js_DeliverAll;
    // The server has forgotten the consumer since the last connection: a new one goes on behind it.
    if (first > 0) {
      config.DeliverPolicy = js_DeliverByStartSequence;
      config.OptStartSeq = first;
    }
    status = js_AddConsumer(&info, context_, endpoint.stream.c_str(), &config, nullptr, nullptr);
  }
  std::unique_ptr<jsConsumerInfo, Free> owner(info);
  if (status != NATS_OK) throw error_of(status, "make a consumer of the stream", endpoint);
  bool is_pushed = info && info->Config && info->Config->DeliverSubject;
  if (is_pushed) {
    throw Error(ErrorCode::invalid,
                fmt::format("the consumer \"{}\" is one that messages are pushed to; kitbag needs "
                            "one that they are pulled from",
                            consumer_),
                endpoint.shown());
  }
  natsSubscription* made = nullptr;
  status = natsConnection_SubscribeSync(&made, connection_, inbox_.c_str());
  if (status != NATS_OK) throw error_of(status, "subscribe", endpoint);
  subscription_.reset(made);
  natsSubscription_SetPendingLimits(made, -1, -1);
}

void Pull::ask() {
  std::string subject = fmt::format("$JS.API.CONSUMER.MSG.NEXT.{}.{}", endpoint_.stream, consumer_);
  std::string request =
      fmt::format(R"({{"batch":{},"max_bytes":{},"expires":{},"idle_heartbeat":{}}})", kBatch,
                  kBatchBytes, kExpiresNs, kHeartbeatNs);
  natsStatus status =
      natsConnection_PublishRequest(connection_, subject.c_str(), inbox_.c_str(), request.data(),
                                    static_cast<int>(request.size()));
  if (status != NATS_OK) throw error_of(status, "ask for messages", endpoint_);
  asked_ += kBatch;
}

NatsMessage Pull::next(std::int64_t wait_ms) {
  while (true) {
    if (asked_ <= kBatch / 2) ask();
    natsMsg* got = nullptr;
    natsStatus status = natsSubscription_NextMsg(&got, subscription_.get(), wait_ms);
    NatsMessage message(got);
    if (status == NATS_TIMEOUT) {
      silent_ms_ += wait_ms;
      if (silent_ms_ >= kSilentMs) {
        asked_ = 0;
        silent_ms_ = 0;
      }
      return nullptr;
    }
    if (status != NATS_OK) throw error_of(status, "receive", endpoint_);
    silent_ms_ = 0;
    if (take_status(got)) continue;
    asked_ = std::max<std::int64_t>(asked_ - 1, 0);
    return message;
  }
}

/// Whether it is no message, but says something about a request.
bool Pull::take_status(natsMsg* message) {
  if (natsMsg_IsNoResponders(message)) {
    throw Error(ErrorCode::io, "the stream does not answer", endpoint_.shown());
  }
  const char* text = nullptr;
  if (natsMsgHeader_Get(message, "Status", &text) != NATS_OK || !text) return false;
  const char* subject = natsMsg_GetSubject(message);
  if (!subject || inbox_ != subject) return false;  // a message that has such a header
  std::string_view code = text;
  if (code.starts_with("100")) return true;  // a sign of life
  const char* what = nullptr;
  natsMsgHeader_Get(message, "Description", &what);
  std::string_view description = what ? what : "";
  bool is_gone = description.find("Deleted") != std::string_view::npos ||
                 description.find("deleted") != std::string_view::npos;
  if (is_gone) {
    throw Error(ErrorCode::io, "the server has deleted the consumer of the stream",
                endpoint_.shown());
  }
  // A request has ended early: this is what it did not deliver. A status that does not say is
  // counted as a whole request; to ask for too much is harmless, to ask for nothing more would be
  // the end.
  std::int64_t left = number_of(message, "Nats-Pending-Messages");
  asked_ = std::max<std::int64_t>(asked_ - (left > 0 ? left : kBatch), 0);
  return true;
}

void Pull::acknowledge(natsMsg* message) {
  const char* where = natsMsg_GetReply(message);
  // If the connection is lost, the message comes again.
  if (where) natsConnection_Publish(connection_, where, nullptr, 0);
}

void Pull::forget() {
  if (!endpoint_.durable.empty()) return;
  js_DeleteConsumer(context_, endpoint_.stream.c_str(), consumer_.c_str(), nullptr, nullptr);
}

std::uint64_t Pull::left() {
  jsConsumerInfo* info = nullptr;
  natsStatus status = js_GetConsumerInfo(&info, context_, endpoint_.stream.c_str(),
                                         consumer_.c_str(), nullptr, nullptr);
  std::unique_ptr<jsConsumerInfo, Free> owner(info);
  if (status != NATS_OK) throw error_of(status, "ask for the consumer", endpoint_);
  return static_cast<std::uint64_t>(std::max<std::int64_t>(info->NumAckPending, 0)) +
         info->NumPending;
}

}  // namespace kitbag::nats
