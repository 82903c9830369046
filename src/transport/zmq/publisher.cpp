#include <cerrno>
#include <optional>
#include <utility>
#include <vector>

#include "kitbag/session.h"
#include "transport/framing/framing.h"
#include "transport/zmq/endpoint.h"
#include "transport/zmq/peers.h"
#include "transport/zmq/transport.h"
#include "transport/zmq/wake.h"

// Descriptions precede the first message of a channel, and are repeated now and then and for each
// new subscriber: one that comes late, or a new puller, needs them too.
//
// PUSH gives each message to one puller that has room, and waits if none has: this is how a player
// is held back. ZMQ_IMMEDIATE keeps messages from being queued for connections that are not
// established yet. With XPUB, ZeroMQ drops what a slow subscriber does not take, and says nothing.
// XPUB instead of PUB, because it lets this side read subscriptions; `verbose` makes it report
// those for a topic that is subscribed already, as each one needs the descriptions.
//
// Large payloads are lent to ZeroMQ, whose thread sends them later. So the batch lives in a shared
// pointer, of which each such frame holds a copy until ZeroMQ releases it.
//
// Sends never block in ZeroMQ, where a stop could not reach them: they are tried, and poll() waits
// for room or for the stop. A message waits for ever, until a receiver has room or one comes. The
// end of the stream waits for a receiver that is slow, but not for ever for one to come: the last
// one may have had enough and gone.
//
// Whoever leaves takes along what ZeroMQ and the system hold for it, and ZeroMQ does not tell how
// much. So the publisher warns once if a receiver leaves before the end.
//
// ZMQ_LINGER is not enough for a slow receiver: when a socket is closed, ZeroMQ drops what it has
// taken from its queue and the system has no room for, up to 8 KiB and one message. So close()
// waits until the system holds nothing that a receiver has not taken. A stop ends this soon, but
// not at once: what was sent just before it is on its way.

namespace kitbag::zmq_transport {

namespace {

constexpr Duration kDescribeAgain = std::chrono::seconds(1);
/// How long a wait for the first receiver goes on before it is reported.
constexpr Duration kSilent = std::chrono::seconds(1);
/// How long close() waits for subscribers to take what was sent, and for ZeroMQ to send it.
constexpr std::chrono::milliseconds kLinger = std::chrono::seconds(30);
/// How long close() waits for a receiver when none is there to be told of the end.
constexpr Duration kAlone = std::chrono::seconds(5);
/// How long close() waits after a stop for what a receiver is about to take.
constexpr Duration kGrace = std::chrono::milliseconds(500);

zmq::message_t frame(std::string_view text) {
  return {text.data(), text.size()};
}

/// The payload, where it lies while `owner` holds it, or a copy.
zmq::message_t frame(ByteView data, const std::shared_ptr<const Batch>& owner) {
  if (data.size() < kLendBytes) return {data.data(), data.size()};
  auto release = [](void*, void* hint) { delete static_cast<std::shared_ptr<const Batch>*>(hint); };
  auto* hint = new std::shared_ptr<const Batch>(owner);
  // ZeroMQ does not write to it, but has no word for that.
  return {const_cast<std::byte*>(data.data()), data.size(), release, hint};
}

class ZmqPublisher final : public Publisher {
 public:
  ZmqPublisher(Endpoint endpoint, const Publication& how, const Session& session)
      : endpoint_(std::move(endpoint)),
        session_(session),
        stop_(how.stop),
        on_warning_(how.on_warning),
        on_stop_(stop_, [this] { wake_.set(); }),
        socket_(context_, endpoint_.is_pubsub ? zmq::socket_type::xpub : zmq::socket_type::push),
        peers_(socket_) {
    socket_.set(zmq::sockopt::linger, 0);
    if (endpoint_.is_pubsub) {
      socket_.set(zmq::sockopt::xpub_verbose, 1);
    } else {
      socket_.set(zmq::sockopt::immediate, 1);  // nothing waits for a peer that may never come
    }
    endpoint_.attach(socket_);
  }

  bool await_subscribers(const Wait& wait) override {
    SteadyTime told = clock_.steady() + kSilent;
    while (true) {
      if (!endpoint_.is_pubsub && poll(ZMQ_POLLOUT, Duration::zero())) return true;
      if (endpoint_.is_pubsub && take_subscriptions()) return true;
      SteadyTime now = clock_.steady();
      if (wait.stop.stop_requested() || now >= wait.until) return false;
      if (now >= told) {
        told = kNever;
        report_waiting();
      }
      poll(endpoint_.is_pubsub ? ZMQ_POLLIN : ZMQ_POLLOUT, kLook);
    }
  }

  bool holds_until_received() const override { return !endpoint_.is_pubsub; }

  void write(Batch&& batch) override {
    for (auto& channel : batch.channels ? *batch.channels : Channels()) declare(channel);
    if (batch.empty()) return;
    auto owner = std::make_shared<const Batch>(std::move(batch));
    peers_.any();  // so that events do not pile up
    tell_of_loss();
    has_sent_ = true;
    SteadyTime now = clock_.steady();
    if (endpoint_.is_pubsub && take_subscriptions()) {
      for (auto& sent : channels_) {
        if (sent) sent->described = SteadyTime::min();
      }
    }
    for (const Message& message : owner->messages()) {
      Sent& sent = *channels_[message.channel->slot];
      describe(sent, now);
      send(frame(sent.topic), zmq::send_flags::sndmore);
      send(frame(sent.header.of(message)), zmq::send_flags::sndmore);
      send(frame(message.data, owner), zmq::send_flags::none);
    }
  }

  void close() override {
    if (is_closed_) return;
    is_closed_ = true;
    SteadyTime now = clock_.steady();
    peer_seen_ = now;
    for (auto& sent : channels_) {
      if (sent) describe(*sent, now);
    }
    peers_.any();
    tell_of_loss();
    on_warning_ = {};  // from here on they leave because it is the end
    if (send(frame(std::string_view()), zmq::send_flags::sndmore)) {
      send(frame(framing::kEndHeader), zmq::send_flags::none);
    }
    if (await_taken()) socket_.set(zmq::sockopt::linger, static_cast<int>(kLinger.count()));
    peers_.close();
    socket_.close();
  }

 private:
  /// How often a wait is checked whose end nothing else signals.
  static constexpr Duration kLook = std::chrono::milliseconds(20);

  /// A channel, and when it was described last.
  struct Sent {
    explicit Sent(const Channel& channel) : topic(channel.topic), header(channel) {}

    std::string topic;
    framing::ChannelHeader header;
    SteadyTime described = SteadyTime::min();
  };

  void declare(const ChannelPtr& channel) {
    if (!channel) return;
    if (channels_.size() <= channel->slot) channels_.resize(channel->slot + 1);
    if (!channels_[channel->slot]) channels_[channel->slot].emplace(*channel);
  }

  void describe(Sent& sent, SteadyTime now) {
    if (sent.described != SteadyTime::min() && now - sent.described < kDescribeAgain) return;
    sent.described = now;
    if (send(frame(sent.topic), zmq::send_flags::sndmore)) {
      send(frame(sent.header.description()), zmq::send_flags::none);
    }
  }

  void report_waiting() const {
    if (!on_warning_) return;
    on_warning_(
        Error(ErrorCode::remark, "no receiver is connected; waiting for one", endpoint_.uri));
  }

  void tell_of_loss() {
    bool is_loss = !endpoint_.is_pubsub && has_sent_ && peers_.has_lost_one();
    if (!is_loss || !on_warning_) return;
    Error warning(ErrorCode::io,
                  "a receiver has left before the end; the last messages that were sent to it may "
                  "be lost",
                  endpoint_.uri);
    std::exchange(on_warning_, {})(warning);
  }

  /// True: the socket is ready for `events`. False: `time` is over, or a stop was asked for.
  bool poll(short events, Duration time) {
    zmq::pollitem_t items[] = {{socket_.handle(), 0, events, 0},
                               {nullptr, wake_.file(), ZMQ_POLLIN, 0}};
    std::size_t watched = stop_.stop_requested() ? 1 : 2;  // a stop ends one wait, not each
    try {
      zmq::poll(items, watched, std::chrono::duration_cast<std::chrono::milliseconds>(time));
    } catch (const zmq::error_t& cause) {
      if (cause.num() != EINTR) throw endpoint_.error("cannot send", cause);
    }
    return (items[0].revents & events) != 0;
  }

  /// Frames of a message behind the first never wait: ZeroMQ takes a message as a whole. False: the
  /// publisher is closed, and no receiver has been there for kAlone.
  bool send(zmq::message_t frame, zmq::send_flags flags) {
    while (true) {
      try {
        if (socket_.send(frame, flags | zmq::send_flags::dontwait)) return true;
      } catch (const zmq::error_t& cause) {
        if (cause.num() != EINTR) throw endpoint_.error("cannot send", cause);
        continue;
      }
      throw_if_stopped();
      SteadyTime now = clock_.steady();
      if (peers_.any()) peer_seen_ = now;
      tell_of_loss();
      if (is_closed_ && now - peer_seen_ >= kAlone) return false;
      poll(ZMQ_POLLOUT, kLook);
    }
  }

  void throw_if_stopped() {
    if (!stop_.stop_requested()) return;
    SteadyTime now = clock_.steady();
    if (stop_seen_ == SteadyTime::max()) stop_seen_ = now;
    if (is_closed_ && now - stop_seen_ < kGrace) return;
    throw Error(ErrorCode::cancelled, "stopped while waiting for a receiver", endpoint_.uri);
  }

  /// True: the receivers have taken all, or have gone. False: subscribers did not in time. Two
  /// looks, because between them ZeroMQ's thread gives the system what it has left.
  bool await_taken() {
    SteadyTime until = endpoint_.is_pubsub ? clock_.steady() + kLinger : kNever;
    for (int looks = 0; looks < 2 && peers_.any();) {
      looks = peers_.have_taken_all() ? looks + 1 : 0;
      if (looks == 0) throw_if_stopped();
      if (clock_.steady() >= until) return false;
      poll(0, kLook);
    }
    return true;
  }

  /// True: somebody has subscribed.
  bool take_subscriptions() {
    bool any = false;
    for (zmq::message_t event; socket_.recv(event, zmq::recv_flags::dontwait);) {
      any |= event.size() > 0 && *event.data<std::uint8_t>() == 1;
    }
    return any;
  }

  Endpoint endpoint_;
  Session session_;
  Clock& clock_ = *session_.clock();
  std::stop_token stop_;
  OnWarning on_warning_;  ///< for one warning
  Wake wake_;
  std::stop_callback<std::function<void()>> on_stop_;
  zmq::context_t context_;
  zmq::socket_t socket_;
  Peers peers_;
  SteadyTime peer_seen_;  ///< set by close(), and then while a receiver is there
  SteadyTime stop_seen_ = SteadyTime::max();
  std::vector<std::optional<Sent>> channels_;  ///< by slot
  bool has_sent_ = false;
  bool is_closed_ = false;
};

}  // namespace

std::unique_ptr<Publisher> publish(const Location& location, const Publication& how,
                                   const Session& session) {
  return std::make_unique<ZmqPublisher>(Endpoint::of(location), how, session);
}

}  // namespace kitbag::zmq_transport
