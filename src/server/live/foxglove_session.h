#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "kitbag/foxglove.h"
#include "kitbag/message.h"
#include "server/http/web_socket.h"

// The server's side of a connection by the Foxglove WebSocket protocol, as far as live data and
// replays have it in common: the client's subscriptions, and its messages. The id of a channel is
// its slot plus one.
//
// A message that is malformed or not supported is answered with a status text, which helps whoever
// writes a client. Only the first ones are answered, so that a client cannot flood itself.

namespace kitbag::server {

class FoxgloveSession : public WebSocketSession {
 public:
  void on_open(WebSocketSenderPtr sender) final;
  void on_text(std::string_view text) final;
  void on_binary(ByteView bytes) final;

 protected:
  /// Sends ServerInfo and advertises the channels.
  virtual void begin() = 0;
  /// The number of channels that were advertised to the client.
  virtual std::size_t channels() const = 0;
  /// The client has subscribed to the channels in these slots.
  virtual void subscribed(const std::vector<std::size_t>& slots) = 0;
  virtual void requested(const foxglove::PlaybackRequest& request);
  // What the client publishes; not accepted unless they are overridden.
  virtual void advertised(const foxglove::Advertise& text);
  virtual void unadvertised(const foxglove::Unadvertise& text);
  virtual void published(const foxglove::PublishedData& message);

  WebSocketSender& sender() { return *sender_; }
  void send(const foxglove::Text& text) { sender_->send_text(foxglove::to_json(text)); }
  /// Advertises the channels from slot `from` on, in texts of limited size.
  void advertise(const Channels& channels, std::size_t from = 0);
  /// Sends a status text about a message of the client that makes no sense.
  void complain(const std::string& what);
  /// Sends a message if the client has subscribed to its channel; any thread.
  void deliver(std::size_t slot, const Message& message);
  bool is_subscribed(std::size_t slot) const;

 private:
  void subscribe(const foxglove::Subscribe& text);
  void unsubscribe(const foxglove::Unsubscribe& text);

  WebSocketSenderPtr sender_;
  std::size_t complaints_ = 0;

  mutable std::mutex mutex_;                                 ///< for all below
  std::map<std::uint32_t, std::size_t> slots_;               ///< by subscription
  std::vector<std::optional<std::uint32_t>> subscriptions_;  ///< by slot
};

}  // namespace kitbag::server
