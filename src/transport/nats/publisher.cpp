#include <fmt/format.h>
#include <rapidjson/document.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kitbag/session.h"
#include "transport/broker/fields.h"
#include "transport/nats/connection.h"
#include "transport/nats/outbox.h"
#include "transport/nats/transport.h"

// What was sent stays in the outbox until the server has it. Without a stream an answer to a ping
// says so, for all that went before; with one each message is answered, at an inbox of this
// publisher whose last word is the number in the outbox. After a reconnection all of the outbox is
// sent again. A stream drops what it had, by the header Nats-Msg-Id; without one receivers of
// kitbag do, by the numbers.
//
// Descriptions are repeated, as with ZeroMQ, because a server remembers nothing; a stream keeps
// them.

namespace kitbag::nats {
namespace {

constexpr Duration kDescribeAgain = std::chrono::seconds(1);
/// How long close() waits for a connection, and for an answer.
constexpr Duration kPatience = std::chrono::seconds(30);
constexpr std::int64_t kLookMs = 50;
/// Messages after which the server is asked whether it has them.
constexpr std::size_t kConfirmMessages = 1000;
constexpr Duration kConfirmTime = std::chrono::seconds(1);
/// What the protocol needs beside the names and values of headers, at most.
constexpr std::size_t kHeaderBytes = 64;

std::size_t bytes_of(const std::vector<broker::Field>& fields) {
  std::size_t bytes = kHeaderBytes;
  for (const broker::Field& field : fields) {
    bytes += std::string_view(field.name).size() + field.value.size() + 4;
  }
  return bytes;
}

class NatsPublisher final : public Publisher {
 public:
  NatsPublisher(Endpoint endpoint, const Publication& how, const Session& session)
      : endpoint_(std::move(endpoint)), how_(how), session_(session), inbox_(new_inbox()) {
    if (!connect_once()) throw stopped();
  }

  /// A server does not report its subscribers.
  bool await_subscribers(const Wait&) override { return true; }

  void write(Batch&& batch) override {
    for (const auto& channel : batch.channels ? *batch.channels : Channels()) declare(channel);
    for (const Message& message : batch.messages()) send(message);
    if (has_stream()) {
      take_answers(0);
    } else if (clock_.steady() >= next_confirmation_ || outbox_.size() >= kConfirmMessages) {
      confirm(false);
    }
  }

  SteadyTime due() const override { return outbox_.empty() ? kNever : next_confirmation_; }
  void tick(SteadyTime) override { confirm(false); }

  void close() override {
    if (std::exchange(is_closed_, true)) return;
    give_up_at_ = clock_.steady() + kPatience;
    for (auto& sent : channels_) {
      if (sent && !has_stream() && sent->is_described) describe(*sent);
    }
    std::string subject = subject_of(endpoint_.address.prefix, broker::kEndTopic);
    submit(subject, {}, {{broker::kEndField, "1"}}, "the end", nullptr);
    confirm(true);
    if (refused_ > 0) {
      throw Error(ErrorCode::io,
                  fmt::format("the server has refused {} messages: {}", refused_, refusal_),
                  endpoint_.shown());
    }
    if (left_out_ > 0) {
      warn(ErrorCode::unsupported, fmt::format("{} messages were left out", left_out_));
    }
  }

 private:
  struct Sent {
    Sent(const Channel& of, std::string its_subject, std::uint64_t sender)
        : subject(std::move(its_subject)),
          channel(of, sender, topic_of("", subject) != of.topic),
          topic(of.topic) {}

    std::string subject;  ///< below the prefix; then the full one
    broker::SentChannel channel;
    std::string topic;
    bool is_described = false;
    SteadyTime described{};
    bool is_left_out = false;  ///< reported
  };

  bool has_stream() const { return !endpoint_.stream.empty(); }

  void declare(const ChannelPtr& channel) {
    if (!channel) return;
    if (channels_.size() <= channel->slot) channels_.resize(channel->slot + 1);
    auto& sent = channels_[channel->slot];
    if (sent) return;
    std::string subject = subject_of("", channel->topic);
    sent.emplace(*channel, subject, sender_);
    bool can_name = !subject.empty() && broker::is_plain(channel->topic);
    sent->subject = can_name ? subject_of(endpoint_.address.prefix, channel->topic) : "";
    if (sent->subject.empty()) {
      leave_out(*sent, "a subject is UTF-8 of at most 3,000 bytes without control characters");
    }
  }

  void leave_out(Sent& sent, const std::string& why) {
    if (std::exchange(sent.is_left_out, true)) return;
    warn(ErrorCode::unsupported, fmt::format("{}: left out; {}", sent.topic, why));
  }

  void send(const Message& message) {
    Sent& sent = *channels_[message.channel->slot];
    if (sent.subject.empty()) {
      ++left_out_;
      return;
    }
    bool is_due = !has_stream() && clock_.steady() - sent.described >= kDescribeAgain;
    if (!sent.is_described || is_due) describe(sent);
    submit(sent.subject, message.data, sent.channel.fields(message), sent.topic, &sent);
  }

  void describe(Sent& sent) {
    sent.is_described = true;
    sent.described = clock_.steady();
    std::string subject = subject_of(endpoint_.address.prefix,
                                     std::string(broker::kChannelsTopic) + sent.channel.id());
    const auto& fields = sent.channel.description_fields();
    ByteView payload = as_bytes(sent.channel.description());
    if (is_too_large(payload.size() + bytes_of(fields))) {
      return leave_out(sent, "its definition is larger than the server takes");
    }
    submit(subject, payload, fields, sent.topic, nullptr);
  }

  bool is_too_large(std::size_t bytes) const {
    return connection_ &&
           bytes > static_cast<std::size_t>(natsConnection_GetMaxPayload(connection_.get()));
  }

  /// Sends a message as soon as there is room. `sent`: of the channel, where it may be left out.
  void submit(const std::string& subject, ByteView payload,
              const std::vector<broker::Field>& fields, const std::string& what, Sent* sent) {
    std::size_t bytes = payload.size() + bytes_of(fields) + subject.size();
    while (!outbox_.has_room(bytes)) confirm(false);
    need_connection();
    if (has_stream() && !stream_.takes(subject)) {
      throw Error(ErrorCode::invalid,
                  fmt::format("the stream \"{}\" does not take the subject {}; add '{}' to its "
                              "subjects",
                              endpoint_.stream, subject, endpoint_.everything()),
                  endpoint_.shown());
    }
    if (is_too_large(payload.size() + bytes_of(fields))) {
      ++left_out_;
      if (!sent) return;
      return leave_out(*sent, fmt::format("a message of {} bytes is larger than the server takes "
                                          "(max_payload); further ones are counted",
                                          payload.size()));
    }
    NatsMessage message = make(subject, payload, fields, what);
    natsMsg* made = message.get();
    outbox_.add(std::move(message), bytes);
    if (natsStatus status = natsConnection_PublishMsg(connection_.get(), made); status != NATS_OK) {
      lose(error_of(status, "send", endpoint_));
      need_connection();
    }
  }

  NatsMessage make(const std::string& subject, ByteView payload,
                   const std::vector<broker::Field>& fields, const std::string& what) const {
    std::string reply;
    if (has_stream()) reply = fmt::format("{}.{}", inbox_, outbox_.next());
    natsMsg* made = nullptr;
    natsStatus status = natsMsg_Create(
        &made, subject.c_str(), reply.empty() ? nullptr : reply.c_str(),
        reinterpret_cast<const char*>(payload.data()), static_cast<int>(payload.size()));
    NatsMessage message(made);
    for (const broker::Field& field : fields) {
      if (status == NATS_OK) status = natsMsgHeader_Set(made, field.name, field.value.c_str());
    }
    if (status == NATS_OK && has_stream()) {
      std::string id = fmt::format("{:016x}-{}", sender_, outbox_.next());
      status = natsMsgHeader_Set(made, "Nats-Msg-Id", id.c_str());
    }
    if (status != NATS_OK) throw error_of(status, "send " + what, endpoint_);
    return message;
  }

  // --- the connection ---

  /// False: a stop was requested. Throws Error.
  bool connect_once() {
    connection_ = connect(endpoint_, how_.stop);
    if (!connection_) return false;
    answers_.reset();
    if (has_stream()) {
      stream_ = Stream::of(connection_.get(), endpoint_);
      natsSubscription* made = nullptr;
      std::string subject = inbox_ + ".*";
      natsStatus status = natsConnection_SubscribeSync(&made, connection_.get(), subject.c_str());
      if (status != NATS_OK) throw error_of(status, "subscribe", endpoint_);
      answers_.reset(made);
      natsSubscription_SetPendingLimits(made, -1, -1);
    }
    natsStatus status = NATS_OK;
    outbox_.each([&](natsMsg* message) {
      status = natsConnection_PublishMsg(connection_.get(), message);
      return status == NATS_OK;
    });
    if (status != NATS_OK) throw error_of(status, "send", endpoint_);
    next_confirmation_ = clock_.steady() + kConfirmTime;
    return true;
  }

  void lose(const Error& error) {
    if (error.code() != ErrorCode::io) throw error;
    answers_.reset();
    connection_.reset();
    if (!std::exchange(is_reported_, true)) {
      warn(error.code(), error.message() + "; trying again until it succeeds");
    }
  }

  void need_connection() {
    if (connection_ && natsConnection_IsClosed(connection_.get())) {
      require_permission(connection_.get(), endpoint_);
      lose(Error(ErrorCode::io, "the connection to the server is lost", endpoint_.shown()));
    }
    while (!connection_) {
      if (how_.stop.stop_requested()) throw stopped();
      if (clock_.steady() >= give_up_at_) throw not_confirmed();
      try {
        if (!connect_once()) throw stopped();
        is_reported_ = false;
      } catch (const Error& error) {
        lose(error);
        clock_.sleep({how_.stop, clock_.steady() + kConnectAgain});
      }
    }
  }

  /// Makes sure that the server has some of what was sent, or `all`.
  void confirm(bool all) {
    std::size_t most = all ? 0 : outbox_.size() - std::min<std::size_t>(outbox_.size(), 1);
    while (outbox_.size() > most) {
      std::size_t left = outbox_.size();
      need_connection();
      if (has_stream()) {
        take_answers(kLookMs);
      } else {
        flush_connection();
      }
      if (how_.stop.stop_requested() && outbox_.size() > most) throw stopped();
      if (outbox_.size() < left) {
        if (is_closed_) give_up_at_ = clock_.steady() + kPatience;
      } else if (clock_.steady() >= give_up_at_) {
        throw not_confirmed();
      }
      if (!all && !has_stream()) return;
    }
  }

  /// Without a stream: an answer to a ping confirms all.
  void flush_connection() {
    natsStatus status = natsConnection_FlushTimeout(connection_.get(), 500);
    if (status == NATS_OK) {
      require_permission(connection_.get(), endpoint_);
      outbox_.confirm_all();
      next_confirmation_ = clock_.steady() + kConfirmTime;
    } else if (status != NATS_TIMEOUT) {
      lose(error_of(status, "send", endpoint_));
    }
  }

  /// All answers that are there. With a time to wait, for the first one.
  void take_answers(std::int64_t wait_ms) {
    next_confirmation_ = clock_.steady() + kConfirmTime;
    while (answers_) {
      std::uint64_t queued = 0;
      natsSubscription_QueuedMsgs(answers_.get(), &queued);
      if (queued == 0 && wait_ms == 0) return;
      natsMsg* got = nullptr;
      natsStatus status = natsSubscription_NextMsg(&got, answers_.get(), kLookMs);
      if (status == NATS_TIMEOUT) return;
      if (status != NATS_OK) return lose(error_of(status, "send", endpoint_));
      NatsMessage message(got);
      take_answer(got);
      wait_ms = 0;
    }
  }

  void take_answer(natsMsg* answer) {
    std::string_view subject = natsMsg_GetSubject(answer);
    std::string_view digits = subject.substr(subject.rfind('.') + 1);
    std::uint64_t number = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (natsMsg_IsNoResponders(answer)) {  // while the server begins, its streams are not there yet
      return lose(Error(ErrorCode::io, "the stream does not answer", endpoint_.shown()));
    }
    rapidjson::Document text;
    text.Parse(natsMsg_GetData(answer), static_cast<std::size_t>(natsMsg_GetDataLength(answer)));
    if (text.HasParseError() || !text.IsObject() || !outbox_.confirm(number)) return;
    if (auto error = text.FindMember("error"); error != text.MemberEnd()) {
      ++refused_;
      bool has_text = error->value.IsObject() && error->value.HasMember("description") &&
                      error->value["description"].IsString();
      if (has_text) refusal_ = error->value["description"].GetString();
    }
  }

  Error stopped() const {
    std::string what = "stopped while waiting for the server";
    if (!outbox_.empty()) {
      what += fmt::format("; it has not acknowledged the last {} messages", outbox_.size());
    }
    return {ErrorCode::cancelled, what, endpoint_.shown()};
  }
  Error not_confirmed() const {
    return {ErrorCode::io,
            fmt::format("the server has not acknowledged the last {} messages", outbox_.size()),
            endpoint_.shown()};
  }

  void warn(ErrorCode code, const std::string& what) const {
    if (how_.on_warning) how_.on_warning(Error(code, what, endpoint_.shown()));
  }

  Endpoint endpoint_;
  Publication how_;
  Session session_;
  Clock& clock_ = *session_.clock();
  const std::uint64_t sender_ = broker::random_sender();
  std::string inbox_;
  Outbox outbox_;
  std::vector<std::optional<Sent>> channels_;  ///< by slot
  std::uint64_t left_out_ = 0;
  std::uint64_t refused_ = 0;
  std::string refusal_;
  bool is_closed_ = false;
  bool is_reported_ = false;  ///< that there is no connection
  SteadyTime give_up_at_ = kNever;
  SteadyTime next_confirmation_{};
  Connection connection_;     ///< null: it is lost
  Stream stream_;             ///< of the connection
  NatsSubscription answers_;  ///< likewise, of the stream
};

}  // namespace

std::unique_ptr<Publisher> publish(const Location& location, const Publication& how,
                                   const Session& session) {
  return std::make_unique<NatsPublisher>(Endpoint::of(location), how, session);
}

}  // namespace kitbag::nats
