#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kitbag/session.h"
#include "kitbag/transport.h"
#include "transport/broker/fields.h"

namespace kitbag::broker {

/// How long close() waits for a connection, and for an acknowledgement.
inline constexpr Duration kPatience = std::chrono::seconds(30);

/// How a broker names topics.
struct Naming {
  /// The name of a topic below `prefix`. Empty: it can have none.
  std::string (*name_of)(std::string_view prefix, std::string_view topic) = nullptr;
  /// The topic that a name tells.
  std::optional<std::string> (*topic_of)(std::string_view prefix, std::string_view name) = nullptr;
  std::string prefix;
  const char* rule = "";  ///< what a name is, for a topic that has none
};

/// What publishers to all brokers do: name and describe channels, and count what they leave out. A
/// derived class sends, and waits until the broker has what was sent. For one thread, except for
/// describe_anew().
class BrokerPublisher : public Publisher {
 protected:
  /// A channel that messages are sent on.
  struct Sent {
    Sent(const Channel& of, std::uint64_t sender, bool names_topic);

    std::string topic;
    std::string name;  ///< at the broker; empty: it can have none
    SentChannel channel;
    bool is_latched = false;
    std::uint64_t described_in = 0;  ///< the round of descriptions
    SteadyTime described_at{};
    bool is_left_out = false;  ///< reported
  };

  enum class Kind { message, description, end };

  /// What is sent; valid during submit().
  struct Outgoing {
    Kind kind = Kind::message;
    const std::string& name;
    ByteView payload;
    const std::vector<Field>& fields;
    Sent* sent = nullptr;  ///< the channel; null: it is an end

    /// What errors call it.
    std::string what() const { return sent ? sent->topic : "the end"; }
  };

  /// `peer` is what messages call the broker, `shown` its location. Descriptions are repeated after
  /// `describe_again`; if that is absent, only after describe_anew().
  BrokerPublisher(std::string peer, std::string shown, Naming naming,
                  std::optional<Duration> describe_again, const Publication& how,
                  const Session& session);

  /// Sends `message` as soon as there is room, or leaves it out. Throws Error.
  virtual void submit(const Outgoing& message) = 0;

  /// Declares the channels of a batch and sends its messages.
  void send(const Batch& batch);
  /// Each channel is described again before its next message. From any thread.
  void describe_anew() { ++round_; }
  /// Tells receivers that no more will come, and how many messages each channel had.
  void send_end();

  /// True: it is the first call of close().
  bool begin_close() { return !std::exchange(is_closed_, true); }
  bool is_closed() const { return is_closed_; }
  /// When a wait for the broker has to end: never, before close().
  SteadyTime patience_end() const;
  /// What ends close(): throws Error (io) if the broker has refused messages, the last one because
  /// of `why`, and warns if any were left out.
  void report(std::uint64_t refused, const std::string& why) const;

  /// Reports, once a channel, that something of it is left out.
  void leave_out(Sent& sent, const std::string& why);
  /// The same for one message, which is counted.
  void leave_out_message(Sent& sent, const std::string& why);
  void warn(ErrorCode code, const std::string& what) const;
  /// The broker is lost, and is tried again.
  void warn_lost(const Error& error) const;

  /// Errors that end a wait while the broker has not acknowledged `messages`.
  Error stopped(std::size_t messages) const;
  Error not_acknowledged(std::size_t messages) const;

  const std::stop_token& stop() const { return how_.stop; }
  Clock& clock() const { return *clock_; }
  /// A random number for this sender.
  std::uint64_t sender() const { return sender_; }

 private:
  void declare(const ChannelPtr& channel);
  void send(const Message& message);
  void describe(Sent& sent);
  void describe(Sent& sent, const std::vector<Field>& fields);

  std::string peer_;
  std::string shown_;
  Naming naming_;
  std::optional<Duration> describe_again_;
  Publication how_;
  ClockPtr clock_;
  const std::uint64_t sender_ = random_sender();
  std::vector<std::optional<Sent>> channels_;  ///< by slot
  std::atomic<std::uint64_t> round_ = 1;       ///< of descriptions
  std::uint64_t left_out_ = 0;
  bool is_closed_ = false;
};

}  // namespace kitbag::broker
