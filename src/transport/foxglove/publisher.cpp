#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>
#include <vector>

#include "kitbag/error.h"
#include "kitbag/foxglove.h"
#include "kitbag/session.h"
#include "transport/foxglove/endpoint.h"
#include "transport/foxglove/transport.h"

// Messages are sent on the caller's thread, which also reads now and then: a server that gets no
// answer to its pings closes the connection. After a reconnection all channels are advertised
// again.
//
// A connection counts as one when the server has sent serverInfo: before, it is not known which
// encodings it takes. The number of a channel is its slot plus one, so it is the same after each
// reconnection. A message that could not be sent is sent again then; what the old connection had
// taken but not delivered is lost, since the protocol confirms nothing.

namespace kitbag::foxglove {
namespace {

constexpr Duration kLook = std::chrono::seconds(1);
/// How long to wait for the ServerInfo.
constexpr Duration kInfoTime = std::chrono::seconds(10);
constexpr std::size_t kMostReports = 20;

class FoxglovePublisher final : public Publisher {
 public:
  FoxglovePublisher(Endpoint endpoint, const Publication& how, const Session& session)
      : endpoint_(std::move(endpoint)), how_(how), session_(session) {}

  bool await_subscribers(const Wait& wait) override {
    while (!is_connected() && !wait.stop.stop_requested() && clock_.steady() < wait.until) {
      if (!connect()) clock_.sleep({wait.stop, std::min(wait.until, next_attempt())});
    }
    return is_connected();
  }

  void write(Batch&& batch) override {
    for (const auto& channel : batch.channels ? *batch.channels : Channels()) declare(channel);
    need_connection();
    for (const Message& message : batch.messages()) {
      while (!send(message)) need_connection();
    }
    if (clock_.steady() >= next_look_) look();
  }

  SteadyTime due() const override { return is_connected() ? next_look_ : kNever; }
  void tick(SteadyTime /*now*/) override { look(); }

  void close() override {
    if (is_connected()) socket_->close();
    socket_.reset();
  }

 private:
  bool is_connected() const { return info_.has_value(); }
  SteadyTime next_attempt() const { return clock_.steady() + kConnectAgain; }

  void need_connection() {
    while (!is_connected()) {
      if (!connect()) clock_.sleep({how_.stop, next_attempt()});
      if (how_.stop.stop_requested()) {
        throw Error(ErrorCode::cancelled, "stopped while waiting for the server", endpoint_.uri);
      }
    }
  }

  /// Whether there is a connection now.
  bool connect() {
    try {
      socket_ = web_socket(endpoint_.target, endpoint_.uri, how_.stop);
      if (!socket_->open()) return false;
      SteadyTime until = clock_.steady() + kInfoTime;
      while (!is_connected() && !how_.stop.stop_requested()) {
        if (clock_.steady() >= until) {
          throw Error(ErrorCode::unsupported, "the server has not said what it is", endpoint_.uri);
        }
        take(std::chrono::milliseconds(100));
      }
      if (!is_connected()) return false;
      for (const auto& channel : channels_) advertise(channel);
    } catch (const Error& error) {
      lose(error);
    }
    next_look_ = clock_.steady() + kLook;
    return is_connected();
  }

  /// Ends the connection. Throws the error unless a new connection may help.
  void lose(const Error& error) {
    info_.reset();
    socket_.reset();
    if (error.code() != ErrorCode::io) throw error;
    if (!is_reported_) warn(error.message() + "; trying again until it succeeds");
    is_reported_ = true;
  }

  void look() {
    next_look_ = clock_.steady() + kLook;
    if (!is_connected()) return;
    try {
      while (take(Duration::zero())) {
      }
    } catch (const Error& error) {
      lose(error);
    }
  }

  /// Takes a message of the server; false: there is none.
  bool take(Duration timeout) {
    auto message = socket_->receive(timeout);
    if (!message) return false;
    if (!message->is_text) return true;
    if (auto text = parsed(as_text(message->data))) {
      if (const auto* info = std::get_if<ServerInfo>(&*text)) {
        accept(*info);
      } else if (const auto* status = std::get_if<Status>(&*text)) {
        if (status->level > 0) report("the server says: " + status->message);
      }
    }
    return true;
  }

  /// Nothing if it is malformed: what is sent does not depend on it.
  std::optional<Text> parsed(std::string_view json) {
    try {
      return parse_text(json);
    } catch (const Error& error) {
      report("a text of the server was left out: " + error.message());
      return std::nullopt;
    }
  }

  void accept(const ServerInfo& info) {
    if (!info.can("clientPublish")) {
      throw Error(ErrorCode::unsupported,
                  "the server does not accept messages of clients (capability clientPublish)",
                  endpoint_.uri);
    }
    info_ = info;
    is_reported_ = false;
  }

  void declare(const ChannelPtr& channel) {
    if (!channel) return;
    if (channels_.size() <= channel->slot) channels_.resize(channel->slot + 1);
    if (channels_[channel->slot]) return;
    channels_[channel->slot] = channel;
    if (!is_connected()) return;
    try {
      advertise(channel);
    } catch (const Error& error) {
      lose(error);
    }
  }

  bool can_send(const Channel& channel) const {
    const auto& known = info_->encodings;
    return known.empty() || std::find(known.begin(), known.end(), channel.encoding) != known.end();
  }

  void advertise(const ChannelPtr& channel) {
    if (!channel) return;
    if (!can_send(*channel)) {
      if (left_out_.size() <= channel->slot) left_out_.resize(channel->slot + 1);
      if (left_out_[channel->slot]) return;
      left_out_[channel->slot] = true;
      return warn(fmt::format(
          "{}: left out; the server does not accept messages in the encoding \"{}\", but {}",
          channel->topic, channel->encoding, fmt::join(info_->encodings, ", ")));
    }
    socket_->send(true, as_bytes(to_json(Advertise{{{channel->slot + 1ULL, *channel}}})));
  }

  /// False: there is no connection any more.
  bool send(const Message& message) {
    if (!is_connected()) return false;
    if (!can_send(*message.channel)) return true;
    auto head = published_head(message.channel->slot + 1);
    try {
      if (!socket_->send(false, head, message.data)) throw_if_stopped({how_.stop});
      return true;
    } catch (const Error& error) {
      lose(error);
      return false;
    }
  }

  /// Warns of what a server may send without end.
  void report(const std::string& what) {
    if (++reports_ <= kMostReports) warn(what);
  }

  void warn(const std::string& what) {
    if (how_.on_warning) how_.on_warning(Error(ErrorCode::unsupported, what, endpoint_.uri));
  }

  Endpoint endpoint_;
  Publication how_;
  Session session_;
  Clock& clock_ = *session_.clock();
  std::unique_ptr<WebSocket> socket_;
  std::optional<ServerInfo> info_;    ///< of the server that it is connected to
  std::vector<ChannelPtr> channels_;  ///< by slot
  std::vector<bool> left_out_;        ///< by slot: reported
  bool is_reported_ = false;          ///< that there is no connection
  std::size_t reports_ = 0;
  SteadyTime next_look_ = SteadyTime::min();
};

}  // namespace

std::unique_ptr<Publisher> publish(const Location& location, const Publication& how,
                                   const Session& session) {
  return std::make_unique<FoxglovePublisher>(Endpoint::of(location), how, session);
}

}  // namespace kitbag::foxglove
