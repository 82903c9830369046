#pragma once

#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "kitbag/foxglove.h"
#include "kitbag/time.h"
#include "server/http/web_socket.h"

namespace kitbag::server {

/// Keeps what is sent to a client.
class Sent final : public WebSocketSender {
 public:
  void send_text(std::string text) override { texts.push_back(foxglove::parse_text(text)); }
  void send_binary(ByteView head, ByteView rest) override {
    std::string frame(as_text(head));
    frame += as_text(rest);
    auto parsed = foxglove::parse_server_frame(as_bytes(frame));
    if (const auto* message = std::get_if<foxglove::MessageData>(&parsed)) {
      messages.emplace_back(message->subscription, as_text(message->payload));
    } else if (const auto* update = std::get_if<foxglove::TimeUpdate>(&parsed)) {
      times.push_back(to_ns(update->now));
    }
  }
  std::size_t waiting_bytes() const override { return waiting; }
  bool await_room(std::size_t /*bytes*/, std::stop_token /*stop*/) override { return true; }
  void close(const std::string& /*reason*/) override {}

  template <class Wanted>
  std::vector<Wanted> all() const {
    std::vector<Wanted> found;
    for (const auto& text : texts) {
      if (const auto* one = std::get_if<Wanted>(&text)) found.push_back(*one);
    }
    return found;
  }

  std::deque<foxglove::Text> texts;
  std::vector<std::pair<std::uint32_t, std::string>> messages;
  std::vector<std::int64_t> times;
  std::size_t waiting = 0;
};

/// A session, and what it sends.
struct TestClient {
  explicit TestClient(std::unique_ptr<WebSocketSession> made) : session(std::move(made)) {
    session->on_open(sent);
  }

  void say(const foxglove::Text& text) const { session->on_text(foxglove::to_json(text)); }
  void subscribe(std::uint32_t id, std::uint64_t channel) const {
    say(foxglove::Subscribe{{{id, channel}}});
  }
  void publish(std::uint32_t channel, std::string_view payload) const {
    auto head = foxglove::published_head(channel);
    std::string frame(as_text(ByteView(head)));
    session->on_binary(as_bytes(frame.append(payload)));
  }

  std::shared_ptr<Sent> sent = std::make_shared<Sent>();
  std::unique_ptr<WebSocketSession> session;
};

}  // namespace kitbag::server
