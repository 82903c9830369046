// A WebSocket after its upgrade, with a client that does what a test wants it to: pings, and the
// end of the server.

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <future>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "server/http/server.h"
#include "server/http/web_socket.h"

namespace kitbag::server {
namespace {

using testing::StartsWith;
using namespace std::chrono_literals;

constexpr char kPing = '\x89';
constexpr std::string_view kMask("\0\0\0\0", 4);  // which leaves a payload as it is

/// After the handshake. Reads, and answers pings, where it is asked to.
class FrameClient {
 public:
  explicit FrameClient(std::uint16_t port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    timeval limit{20, 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
    int buffer_bytes = 256 << 10;
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &buffer_bytes, sizeof(buffer_bytes));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
    send(
        "GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
        "Sec-WebSocket-Protocol: test\r\n\r\n");
    while (!head_.ends_with("\r\n\r\n")) {
      std::string byte = receive(1);
      if (byte.empty()) break;
      head_ += byte;
    }
  }
  ~FrameClient() { ::close(socket_); }
  FrameClient(const FrameClient&) = delete;
  FrameClient& operator=(const FrameClient&) = delete;

  const std::string& head() const { return head_; }
  /// The next frame, its head included; empty: the connection has ended.
  std::string receive_frame() {
    auto [head, size] = receive_head();
    return head + receive(size);
  }
  /// Skips the next frame and returns the size of its payload; 0: the connection has ended.
  std::size_t skip_frame() {
    std::size_t size = receive_head().second;
    std::size_t left = size;
    while (left > 0) {
      std::size_t got = receive(std::min<std::size_t>(left, 65536)).size();
      if (got == 0) return 0;
      left -= got;
    }
    return size;
  }
  void send_frame(char first_byte, std::string_view payload) {
    std::string frame{first_byte, static_cast<char>(0x80 | payload.size())};
    send(frame.append(kMask).append(payload));
  }

 private:
  void send(std::string_view bytes) {
    EXPECT_EQ(::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(bytes.size()));
  }
  /// The head of the next frame, and how many bytes of payload follow it.
  std::pair<std::string, std::size_t> receive_head() {
    std::string head = receive(2);
    if (head.size() < 2) return {};
    std::size_t size = static_cast<unsigned char>(head[1]);
    if (size >= 126) {
      std::string length = receive(size == 126 ? 2 : 8);
      size = 0;
      for (char byte : length) size = size << 8 | static_cast<unsigned char>(byte);
      head += length;
    }
    return {head, size};
  }
  std::string receive(std::size_t size) {
    std::string bytes;
    char piece[65536];
    while (bytes.size() < size) {
      ssize_t got = ::recv(socket_, piece, std::min(sizeof(piece), size - bytes.size()), 0);
      if (got <= 0) return {};
      bytes.append(piece, static_cast<std::size_t>(got));
    }
    return bytes;
  }

  int socket_;
  std::string head_;
};

/// What a session hears of its client.
struct Heard {
  std::promise<std::string> text;
  std::promise<void> end;
};

class Listening final : public WebSocketSession {
 public:
  explicit Listening(Heard& heard) : heard_(heard) {}
  void on_open(WebSocketSenderPtr /*sender*/) override {}
  void on_text(std::string_view text) override { heard_.text.set_value(std::string(text)); }
  void on_binary(ByteView /*bytes*/) override {}
  void on_close() override { heard_.end.set_value(); }

 private:
  Heard& heard_;
};

class Ping : public testing::Test {
 protected:
  Ping() {
    std::signal(SIGPIPE, SIG_IGN);
    HttpOptions options;
    options.limits.idle = 1s;
    server_ = std::make_unique<HttpServer>(options);
    server_->start([this](const Request& request) {
      return upgrade(request, {"test"},
                     [this](std::string_view) { return std::make_unique<Listening>(heard_); });
    });
  }

  Heard heard_;
  std::unique_ptr<HttpServer> server_;
};

TEST_F(Ping, AClientThatDoesNotAnswerIsDropped) {
  FrameClient client(server_->port());
  ASSERT_THAT(client.head(), StartsWith("HTTP/1.1 101 "));
  EXPECT_THAT(client.receive_frame(), StartsWith(std::string(1, kPing)));
  while (!client.receive_frame().empty()) {
  }
  EXPECT_EQ(heard_.end.get_future().wait_for(20s), std::future_status::ready);
  while (server_->counts().connections > 0) std::this_thread::yield();
}

TEST_F(Ping, AClientThatAnswersStays) {
  constexpr char kPong = '\x8a';
  constexpr char kText = '\x81';
  FrameClient client(server_->port());
  auto begin = std::chrono::steady_clock::now();
  while (std::chrono::steady_clock::now() < begin + 1500ms) {  // the limit would have dropped it
    std::string frame = client.receive_frame();
    ASSERT_THAT(frame, StartsWith(std::string(1, kPing)));
    client.send_frame(kPong, std::string_view(frame).substr(2));
  }
  client.send_frame(kText, "still here");
  auto text = heard_.text.get_future();
  ASSERT_EQ(text.wait_for(20s), std::future_status::ready);
  EXPECT_EQ(text.get(), "still here");
}

/// Sends two messages, each larger than what the system holds of them (4 MiB and the buffer of the
/// client), and waits until at most one is left. A slow client, too, reads one within the moment
/// that the server gives it at its end.
class Talkative final : public WebSocketSession {
 public:
  static constexpr std::size_t kBytes = 6 << 20;
  explicit Talkative(std::promise<std::future<bool>>& waiting) : waiting_(waiting) {}
  void on_open(WebSocketSenderPtr sender) override {
    for (int i = 0; i < 2; ++i) sender->send_binary({}, std::vector<std::byte>(kBytes));
    waiting_.set_value(std::async(std::launch::async, [sender] {
      return sender->await_room(kBytes + kBytes / 2, std::stop_token());
    }));
  }
  void on_text(std::string_view /*text*/) override {}
  void on_binary(ByteView /*bytes*/) override {}
  void on_close() override {}

 private:
  std::promise<std::future<bool>>& waiting_;
};

TEST(Goodbye, ComesAfterTheMessageThatIsBeingWrittenAndBeforeTheOthers) {
  constexpr std::string_view kGoingAway("\x88\x02\x03\xe9", 4);
  std::promise<std::future<bool>> waiting;
  auto server = std::make_unique<HttpServer>(HttpOptions{});
  server->start([&](const Request& request) {
    return upgrade(request, {"test"},
                   [&](std::string_view) { return std::make_unique<Talkative>(waiting); });
  });
  FrameClient client(server->port());
  std::future<bool> is_second_dropped = waiting.get_future().get();
  auto end = std::async(std::launch::async, [&] { server.reset(); });
  EXPECT_TRUE(is_second_dropped.get());
  std::size_t size = 0;
  while (size < Talkative::kBytes) {
    std::size_t fragment = client.skip_frame();
    ASSERT_GT(fragment, 0U);
    size += fragment;
  }
  EXPECT_EQ(size, Talkative::kBytes);
  EXPECT_EQ(client.receive_frame(), kGoingAway);
  end.get();
}

}  // namespace
}  // namespace kitbag::server
