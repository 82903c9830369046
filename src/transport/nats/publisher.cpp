#include <fmt/format.h>
#include <rapidjson/document.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "transport/broker/publisher.h"
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

/// A topic with control characters would not fit into a field.
std::string name_of(std::string_view prefix, std::string_view topic) {
  return broker::is_plain(topic) ? subject_of(prefix, topic) : std::string();
}

class NatsPublisher final : public broker::BrokerPublisher {
 public:
  NatsPublisher(Endpoint endpoint, const Publication& how, const Session& session)
      : BrokerPublisher("server", endpoint.shown(),
                        {name_of, topic_of, endpoint.address.prefix,
                         "a subject is UTF-8 of at most 3,000 bytes without control characters"},
                        endpoint.stream.empty() ? std::optional(kDescribeAgain) : std::nullopt, how,
                        session),
        endpoint_(std::move(endpoint)),
        inbox_(new_inbox()) {
    if (!connect_once()) throw stopped(0);
  }

  /// A server does not report its subscribers.
  bool await_subscribers(const Wait&) override { return true; }

  void write(Batch&& batch) override {
    send(batch);
    if (has_stream()) {
      take_answers(0);
    } else if (clock().steady() >= next_confirmation_ || outbox_.size() >= kConfirmMessages) {
      confirm(false);
    }
  }

  SteadyTime due() const override { return outbox_.empty() ? kNever : next_confirmation_; }
  void tick(SteadyTime) override { confirm(false); }

  void close() override {
    if (!begin_close()) return;
    give_up_at_ = patience_end();
    send_end();
    confirm(true);
    report(refused_, refusal_);
  }

 private:
  bool has_stream() const { return !endpoint_.stream.empty(); }

  void submit(const Outgoing& message) override {
    std::size_t bytes = message.payload.size() + bytes_of(message.fields);
    std::size_t bytes_kept = bytes + message.name.size();
    while (!outbox_.has_room(bytes_kept)) confirm(false);
    need_connection();
    if (has_stream() && !stream_.takes(message.name)) {
      throw Error(ErrorCode::invalid,
                  fmt::format("the stream \"{}\" does not take the subject {}; add '{}' to its "
                              "subjects",
                              endpoint_.stream, message.name, endpoint_.everything()),
                  endpoint_.shown());
    }
    auto most_bytes = static_cast<std::size_t>(natsConnection_GetMaxPayload(connection_.get()));
    if (bytes > most_bytes) return refuse(message);
    NatsMessage made = make(message);
    natsMsg* sent = made.get();
    // First into the outbox: if sending fails, need_connection() sends it with the rest.
    outbox_.add(std::move(made), bytes_kept);
    if (natsStatus status = natsConnection_PublishMsg(connection_.get(), sent); status != NATS_OK) {
      lose(error_of(status, "send", endpoint_));
      need_connection();
    }
  }

  void refuse(const Outgoing& message) {
    switch (message.kind) {
      case Kind::message:
        return leave_out_message(*message.sent, fmt::format("a message of {} bytes is larger than "
                                                            "the server takes (max_payload)",
                                                            message.payload.size()));
      case Kind::description:
        return leave_out(*message.sent, "its definition is larger than the server takes");
      case Kind::end:
        return;  // smaller than any message, so none was sent either
    }
  }

  NatsMessage make(const Outgoing& message) const {
    std::string reply;
    if (has_stream()) reply = fmt::format("{}.{}", inbox_, outbox_.next());
    natsMsg* given = nullptr;
    natsStatus status =
        natsMsg_Create(&given, message.name.c_str(), reply.empty() ? nullptr : reply.c_str(),
                       reinterpret_cast<const char*>(message.payload.data()),
                       static_cast<int>(message.payload.size()));
    NatsMessage made(given);
    for (const broker::Field& field : message.fields) {
      if (status == NATS_OK) status = natsMsgHeader_Set(given, field.name, field.value.c_str());
    }
    if (status == NATS_OK && has_stream()) {
      std::string id = fmt::format("{:016x}-{}", sender(), outbox_.next());
      status = natsMsgHeader_Set(given, "Nats-Msg-Id", id.c_str());
    }
    if (status != NATS_OK) throw error_of(status, "send " + message.what(), endpoint_);
    return made;
  }

  // --- the connection ---

  /// False: a stop was requested. Throws Error.
  bool connect_once() {
    connection_ = connect(endpoint_, stop());
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
    // Answers come to the inbox of this publisher, which stays the same: these messages name it
    // already.
    outbox_.each([&](natsMsg* message) {
      status = natsConnection_PublishMsg(connection_.get(), message);
      return status == NATS_OK;
    });
    if (status != NATS_OK) throw error_of(status, "send", endpoint_);
    next_confirmation_ = clock().steady() + kConfirmTime;
    return true;
  }

  void lose(const Error& error) {
    if (error.code() != ErrorCode::io) throw error;
    answers_.reset();
    connection_.reset();
    if (!std::exchange(is_reported_, true)) warn_lost(error);
  }

  void need_connection() {
    if (connection_ && natsConnection_IsClosed(connection_.get())) {
      require_permission(connection_.get(), endpoint_);
      lose(Error(ErrorCode::io, "the connection to the server is lost", endpoint_.shown()));
    }
    while (!connection_) {
      if (stop().stop_requested()) throw stopped(outbox_.size());
      if (clock().steady() >= give_up_at_) throw not_acknowledged(outbox_.size());
      try {
        if (!connect_once()) throw stopped(outbox_.size());
        is_reported_ = false;
      } catch (const Error& error) {
        lose(error);
        clock().sleep({stop(), clock().steady() + kConnectAgain});
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
      if (stop().stop_requested() && outbox_.size() > most) throw stopped(outbox_.size());
      if (outbox_.size() < left) {
        give_up_at_ = patience_end();
      } else if (clock().steady() >= give_up_at_) {
        throw not_acknowledged(outbox_.size());
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
      next_confirmation_ = clock().steady() + kConfirmTime;
    } else if (status != NATS_TIMEOUT) {
      lose(error_of(status, "send", endpoint_));
    }
  }

  /// All answers that are there. With a time to wait, for the first one.
  void take_answers(std::int64_t wait_ms) {
    next_confirmation_ = clock().steady() + kConfirmTime;
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

  Endpoint endpoint_;
  std::string inbox_;
  Outbox outbox_;
  std::uint64_t refused_ = 0;
  std::string refusal_;
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
