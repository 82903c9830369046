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

// A client of the Foxglove WebSocket protocol, as far as live data and recorded data are alike:
// what it has subscribed to, and what becomes of its texts. A channel's number is its slot and one.
//
// A client that sends what is no message of the protocol gets a status text, so that whoever writes
// it sees why; only the first ones, so that it cannot make the server talk without end.

namespace kitbag::server {

class FoxgloveSession : public WebSocketSession {
 public:
  void on_open(WebSocketSenderPtr sender) final;
  void on_text(std::string_view text) final;
  void on_binary(ByteView bytes) final;

 protected:
  /// Says what the server is, and which channels there are.
  virtual void begin() = 0;
  /// How many channels the client has been told of.
  virtual std::size_t channels() const = 0;
  /// The client has subscribed to the channels in these slots.
  virtual void subscribed(const std::vector<std::size_t>& slots) = 0;
  virtual void requested(const foxglove::PlaybackRequest& request);
  // What the client publishes.
  virtual void advertised(const foxglove::Advertise& text);
  virtual void unadvertised(const foxglove::Unadvertise& text);
  virtual void published(const foxglove::PublishedData& message);

  WebSocketSender& sender() { return *sender_; }
  void send(const foxglove::Text& text) { sender_->send_text(foxglove::to_json(text)); }
  /// Advertises channels, in texts of a size that clients take.
  void advertise(const Channels& channels, std::size_t from = 0);
  /// Says what is wrong with what the client has sent.
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
