#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "kitbag/feed.h"
#include "kitbag/foxglove.h"
#include "kitbag/selector.h"
#include "kitbag/session.h"
#include "kitbag/transport.h"
#include "model/known_topics.h"
#include "transport/foxglove/graph.h"
#include "transport/framing/channel_book.h"

// A server names its channels by numbers that hold for one connection. A channel with equal content
// is the same one in the feed, also after a reconnection. What is malformed is counted, reported
// once for each kind of fault, and left out: it never ends a recording.

namespace kitbag::foxglove {

struct ReceiverLimits {
  framing::BookLimits channels = {};
  std::size_t statuses = 20;  ///< texts for people that are passed on
};

/// Makes messages of what a server sends and pushes those that are wanted into a feed. Knows
/// nothing of sockets. For one thread, except for topics().
class Receiver {
 public:
  /// `from` is named in warnings. `keeps_time`: log times are the server's.
  Receiver(const Subscription& wanted, std::string from, bool keeps_time, const Session& session,
           Feed& feed, const ReceiverLimits& limits = {});

  /// Sends a text to the server.
  using Send = std::function<void(const std::string& json)>;

  /// A new connection: the server's numbers mean something else now.
  void begin();
  void take_text(std::string_view json, const Send& send);
  void take_frame(ByteView frame);
  /// Whether the server has said that its data has ended.
  bool has_ended() const { return has_ended_; }
  /// Reports how much was left out.
  void finish();
  void warn(const std::string& what);
  /// Those that the server offers now, and those that others send and receive there, as far as the
  /// server says. Any thread.
  std::vector<LiveTopic> topics() const { return graph_.completed(topics_.topics()); }

 private:
  /// Why something is left out.
  enum Fault : std::size_t { malformed, unknown_subscription, no_room, kFaults };

  using Known = framing::ChannelBook::Entry;
  /// A channel of this connection.
  struct Offered {
    const Known* known = nullptr;
    std::uint32_t subscription = 0;  ///< zero: none
  };

  void take(const Advertise& text, const Send& send);
  void take(const Unadvertise& text);
  void take(const Status& status);
  const Known* known(const Channel& content);
  void push(const MessageData& message);
  void leave_out(Fault fault, const std::string& what);

  Selector selector_;
  OnWarning on_warning_;
  std::string from_;
  bool keeps_time_;
  Session session_;
  Feed& feed_;
  ReceiverLimits limits_;
  framing::ChannelBook book_;                           ///< of all connections
  std::unordered_map<std::uint64_t, Offered> offered_;  ///< by the server's number
  KnownTopics topics_;                                  ///< of what is offered
  Graph graph_;
  std::unordered_map<std::uint32_t, const Channel*> subscribed_;  ///< by subscription
  std::uint32_t last_subscription_ = 0;
  bool has_ended_ = false;
  std::size_t statuses_ = 0;
  std::array<std::uint64_t, kFaults> left_out_{};
};

}  // namespace kitbag::foxglove
