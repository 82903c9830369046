#include "files/remote/client.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "files/remote/ranges.h"
#include "files/remote/store.h"
#include "kitbag/error.h"
#include "kitbag/remote_rules.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/thrown_by.h"

namespace kitbag::remote {
namespace {

/// A web server with one file, at every path but /moved, which leads to `moved_to`, and /hang,
/// which is not answered before the server ends.
class WebServer {
 public:
  explicit WebServer(std::size_t size) : content_(size, 'x') {
    std::minstd_rand random(7);
    for (char& c : content_) c = static_cast<char>(random() >> 8);
    listener_ = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof(address);
    auto* generic = reinterpret_cast<sockaddr*>(&address);
    if (::bind(listener_, generic, length) != 0 || ::listen(listener_, 64) != 0 ||
        ::getsockname(listener_, generic, &length) != 0) {
      std::abort();
    }
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { accept_all(); });
  }
  ~WebServer() {
    is_ending_ = true;
    ::shutdown(listener_, SHUT_RDWR);
    thread_.join();
    for (std::thread& thread : threads_) thread.join();
    ::close(listener_);
  }

  std::string url(const std::string& path, const std::string& host = "127.0.0.1") const {
    return fmt::format("http://{}:{}/{}", host, port_, path);
  }
  const std::string& content() const { return content_; }
  int requests() const { return requests_; }
  std::string moved_to;

 private:
  void accept_all() {
    for (;;) {
      int connection = ::accept(listener_, nullptr, nullptr);
      if (connection < 0) return;
      threads_.emplace_back([this, connection] {
        answer(connection);
        ::close(connection);
      });
    }
  }

  void answer(int connection) {
    std::string request;
    char piece[1024];
    while (request.find("\r\n\r\n") == std::string::npos) {
      ssize_t count = ::recv(connection, piece, sizeof(piece), 0);
      if (count <= 0) return;
      request.append(piece, static_cast<std::size_t>(count));
    }
    ++requests_;
    if (request.starts_with("GET /hang")) {
      while (!is_ending_ && ::recv(connection, piece, sizeof(piece), MSG_DONTWAIT) != 0) {
        std::this_thread::yield();
      }
      return;
    }
    std::string head = "HTTP/1.1 200 OK\r\n";
    std::string body = content_;
    std::size_t first = 0;
    std::size_t last = 0;
    std::size_t range = request.find("Range: bytes=");
    if (request.starts_with("GET /moved")) {
      head = fmt::format("HTTP/1.1 302 Found\r\nLocation: {}\r\n", moved_to);
      body.clear();
    } else if (range != std::string::npos &&
               std::sscanf(request.c_str() + range, "Range: bytes=%zu-%zu", &first, &last) == 2) {
      body = content_.substr(first, last - first + 1);
      head = fmt::format("HTTP/1.1 206 Partial\r\nContent-Range: bytes {}-{}/{}\r\n", first,
                         first + body.size() - 1, content_.size());
    }
    std::string all =
        fmt::format("{}ETag: \"1\"\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", head,
                    body.size()) +
        body;
    for (std::size_t at = 0; at < all.size();) {
      ssize_t count = ::send(connection, all.data() + at, all.size() - at, MSG_NOSIGNAL);
      if (count <= 0) return;
      at += static_cast<std::size_t>(count);
    }
  }

  std::string content_;
  int listener_;
  int port_ = 0;
  std::atomic<int> requests_ = 0;
  std::atomic<bool> is_ending_ = false;
  std::thread thread_;
  std::vector<std::thread> threads_;
};

std::string read(const ReadFile& file, std::size_t offset, std::size_t size) {
  std::string text(size, '\0');
  text.resize(file.read(offset, std::as_writable_bytes(std::span(text))));
  return text;
}

constexpr Retries kOnce{.most = 1};

std::string failure(const std::string& url, const RemoteRules::Verdict& verdict) {
  Client client;
  return test::thrown_by([&] { find(*web_address(url, verdict), client, kOnce); }).message();
}

TEST(Client, ThreadsReadOneFile) {
  WebServer server(3 << 20);
  TemporaryFolder folder;
  Store store({.cache_bytes = 1 << 20, .cache_folder = folder.path("blocks")});
  auto file = store.open(web_address(server.url("x.bag")));
  auto work = [&](std::uint32_t seed) {
    std::minstd_rand random(seed);
    for (int i = 0; i < 20; ++i) {
      std::size_t at = random() % server.content().size();
      EXPECT_EQ(read(*file, at, 5000), server.content().substr(at, 5000));
    }
  };
  std::vector<std::thread> threads;
  for (std::uint32_t seed = 1; seed <= 3; ++seed) threads.emplace_back(work, seed);
  for (std::thread& thread : threads) thread.join();
}

TEST(Client, ItEndsWithRequestsUnderWay) {
  WebServer server(100);
  std::atomic<int> ended = 0;
  {
    Client client;
    for (int i = 0; i < 3; ++i) {
      Request request;
      request.url = server.url("hang");
      request.end = [&](const Answer& answer) {
        EXPECT_EQ(answer.failure, CURLE_ABORTED_BY_CALLBACK);
        ++ended;
      };
      client.start(std::move(request), std::chrono::milliseconds(i == 2 ? 60'000 : 0));
    }
    while (server.requests() < 2) std::this_thread::yield();
  }
  EXPECT_EQ(ended, 3);
}

TEST(Client, StrangersDoNotReachThisMachine) {
  WebServer server(100);
  for (const char* host : {"127.0.0.1", "localhost", "2130706433", "0x7f000001", "127.1"}) {
    EXPECT_THAT(failure(server.url("x", host), {.is_guarded = true}),
                testing::HasSubstr("leads to this machine"))
        << host;
  }
  EXPECT_EQ(server.requests(), 0);
}

TEST(Client, StrangersReachTheAddressThatIsNamed) {
  WebServer server(100);
  Client client;
  RemoteRules::Verdict named{.is_guarded = true, .literal = "127.0.0.1"};
  EXPECT_TRUE(find(*web_address(server.url("x"), named), client, kOnce));
  server.moved_to = "http://127.0.0.2:1/x";
  EXPECT_THAT(failure(server.url("moved"), named), testing::HasSubstr("leads to this machine"));
}

TEST(Client, AConnectionThatIsThereIsCheckedToo) {
  WebServer server(100);
  Client client;
  EXPECT_TRUE(find(*web_address(server.url("x")), client, kOnce));
  auto error = test::thrown_by(
      [&] { find(*web_address(server.url("x"), {.is_guarded = true}), client, kOnce); });
  EXPECT_THAT(error.message(), testing::HasSubstr("leads to this machine"));
}

TEST(Client, RulesHoldForWhateverIsOpened) {
  Store store({.rules = std::make_shared<RemoteRules>(std::vector<std::string>{"http://a/x"},
                                                      std::vector<std::string>{"http://b/y/"})});
  EXPECT_FALSE(store.verdict("http://a/x").is_guarded);
  EXPECT_TRUE(store.verdict("http://b/y/z").is_guarded);
  EXPECT_ERROR(invalid, store.verdict("http://b/x"));
}

}  // namespace
}  // namespace kitbag::remote
