#include "server/http/server.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "kitbag/bytes.h"
#include "kitbag/error.h"
#include "kitbag/file.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/thrown_by.h"

namespace kitbag::server {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

/// A client that sends exactly the given bytes.
class Client {
 public:
  explicit Client(std::uint16_t port, int receive_bytes = 0)
      : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    if (receive_bytes) {
      ::setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &receive_bytes, sizeof(receive_bytes));
    }
    timeval limit{20, 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    is_connected_ = ::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0;
  }
  ~Client() { ::close(socket_); }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  bool is_connected() const { return is_connected_; }
  void send(std::string_view text) {
    EXPECT_EQ(::send(socket_, text.data(), text.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(text.size()));
  }
  void end_sending() { ::shutdown(socket_, SHUT_WR); }
  /// All until `end` is there; or until the connection ends.
  std::string receive(std::string_view end = {}) {
    std::string text;
    char piece[4096];
    while (end.empty() || text.find(end) == std::string::npos) {
      ssize_t size = ::recv(socket_, piece, sizeof(piece), 0);
      if (size <= 0) break;
      text.append(piece, static_cast<std::size_t>(size));
    }
    return text;
  }

 private:
  int socket_;
  bool is_connected_ = false;
};

constexpr const char* kGet = "GET /x HTTP/1.1\r\nHost: a\r\n\r\n";
constexpr const char* kGetAndClose = "GET /x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";

/// Gives the numbers from 0 on, a line each, until it is stopped or a number is reached.
class Numbers final : public BodyStream {
 public:
  explicit Numbers(std::uint64_t end, std::uint64_t fails_at = UINT64_MAX)
      : end_(end), fails_at_(fails_at) {}
  bool next(std::string& text, std::stop_token stop) override {
    for (int i = 0; i < 1000 && at_ < end_; ++i, ++at_) {
      if (at_ == fails_at_ || stop.stop_requested()) throw std::runtime_error("no more");
      text += std::to_string(at_) + "\n";
    }
    return at_ < end_;
  }
  void rest() override { ++rests; }

  static inline std::atomic<int> rests = 0;

 private:
  std::uint64_t at_ = 0;
  std::uint64_t end_;
  std::uint64_t fails_at_;
};

class HttpServerTest : public testing::Test {
 protected:
  void SetUp() override { std::signal(SIGPIPE, SIG_IGN); }

  void start(HttpHandler handler, HttpOptions options = {}) {
    server_ = std::make_unique<HttpServer>(options);
    server_->start(std::move(handler));
  }
  std::string ask(std::string_view request) {
    Client client(server_->port());
    client.send(request);
    return client.receive();
  }

  std::unique_ptr<HttpServer> server_;
};

TEST_F(HttpServerTest, AConnectionServesManyRequests) {
  start([](const Request& request) {
    return text_response(200, "text/plain", request.path.front() + ".");
  });
  Client client(server_->port());
  for (int i = 0; i < 3; ++i) {
    client.send(kGet);
    EXPECT_THAT(client.receive("x."), StartsWith("HTTP/1.1 200 OK\r\n"));
  }
  client.send(std::string(kGet) + kGetAndClose);
  std::string both = client.receive();
  EXPECT_THAT(both, HasSubstr("x.HTTP/1.1 200 OK\r\n"));
  EXPECT_THAT(both, EndsWith("Connection: close\r\nContent-Length: 2\r\n\r\nx."));
}

TEST_F(HttpServerTest, AHandlerThatThrowsIsAnErrorOfTheServer) {
  start([](const Request&) -> Response { throw std::runtime_error("broken"); });
  EXPECT_THAT(ask(kGetAndClose), StartsWith("HTTP/1.1 500 "));
}

TEST_F(HttpServerTest, AFileOfAnotherFileSystemIsReadInPieces) {
  std::string bytes;
  while (bytes.size() < 3'000'000) bytes += std::to_string(bytes.size()) + " ";
  auto file = std::make_shared<OpenFile>(memory_file(as_bytes(bytes)));
  start([&](const Request&) {
    Response response;
    response.content.add("<").add(file, 10, bytes.size() - 10).add(">");
    return response;
  });
  std::string reply = ask(kGetAndClose);
  std::size_t begin = reply.find("\r\n\r\n") + 4;
  EXPECT_TRUE(reply.substr(begin) == "<" + bytes.substr(10) + ">");
  file->close();
  reply = ask(kGetAndClose);
  EXPECT_THAT(reply, EndsWith("\r\n\r\n<")) << "it is aborted";
}

TEST_F(HttpServerTest, AStreamComesInChunks) {
  start([](const Request&) {
    Response response;
    response.stream = std::make_unique<Numbers>(1500);
    return response;
  });
  std::string reply = ask(kGetAndClose);
  EXPECT_THAT(reply, HasSubstr("Transfer-Encoding: chunked"));
  EXPECT_THAT(reply, HasSubstr("\r\nf32\r\n0\n1\n"));  // 3,890 bytes: the lines 0 to 999
  EXPECT_THAT(reply, EndsWith("1499\n\r\n0\r\n\r\n"));
}

TEST_F(HttpServerTest, AStreamToAnOldClientEndsWithTheConnection) {
  start([](const Request&) {
    Response response;
    response.stream = std::make_unique<Numbers>(1500);
    return response;
  });
  std::string reply = ask("GET / HTTP/1.0\r\n\r\n");
  EXPECT_THAT(reply, Not(HasSubstr("chunked")));
  EXPECT_THAT(reply, EndsWith("\n1499\n"));
}

TEST_F(HttpServerTest, AStreamThatFailsIsNotEnded) {
  start([](const Request&) {
    Response response;
    response.stream = std::make_unique<Numbers>(5000, 2500);
    return response;
  });
  std::string reply = ask(kGetAndClose);
  EXPECT_THAT(reply, HasSubstr("\n1999\n"));
  EXPECT_THAT(reply, Not(EndsWith("0\r\n\r\n")));
}

TEST_F(HttpServerTest, AStreamRestsWhileNobodyReads) {
  Numbers::rests = 0;
  HttpOptions options;
  options.limits.rest = std::chrono::milliseconds(20);
  start(
      [](const Request&) {
        Response response;
        response.stream = std::make_unique<Numbers>(4'000'000);
        return response;
      },
      options);
  Client client(server_->port(), 4096);
  client.send(kGetAndClose);
  while (Numbers::rests == 0) std::this_thread::yield();
  EXPECT_THAT(client.receive(), EndsWith("\n3999999\n\r\n0\r\n\r\n"));
}

TEST_F(HttpServerTest, ALargeTextArrivesWhole) {
  auto text = std::make_shared<const std::string>(5'000'000, 'a');
  start([&](const Request&) {
    Response response;
    response.content.add("<").add(text).add(">");
    return response;
  });
  std::string reply = ask(kGetAndClose);
  EXPECT_THAT(reply, HasSubstr("Content-Length: 5000002\r\n"));
  EXPECT_EQ(reply.substr(reply.find("\r\n\r\n") + 4), "<" + *text + ">");
}

TEST_F(HttpServerTest, AHandlerLearnsThatItsClientHasGone) {
  std::promise<void> begun;
  std::promise<void> stopped;
  start([&](const Request& request) {
    std::promise<void> gone;
    std::stop_callback on_stop(request.stop, [&] { gone.set_value(); });
    begun.set_value();
    gone.get_future().wait();
    stopped.set_value();
    return Response{};
  });
  {
    Client client(server_->port());
    client.send(kGet);
    begun.get_future().wait();
  }
  EXPECT_EQ(stopped.get_future().wait_for(std::chrono::seconds(20)), std::future_status::ready);
}

TEST_F(HttpServerTest, TheEndStopsHandlersAndStreams) {
  std::promise<void> begun;
  start([&](const Request& request) {
    if (request.path.front() == "stream") {
      Response response;
      response.stream = std::make_unique<Numbers>(UINT64_MAX);
      return response;
    }
    std::promise<void> ended;
    std::stop_callback on_stop(request.stop, [&] { ended.set_value(); });
    begun.set_value();
    ended.get_future().wait();
    return Response{};
  });
  Client streaming(server_->port(), 4096);
  streaming.send("GET /stream HTTP/1.1\r\nHost: a\r\n\r\n");
  Client idle(server_->port());
  Client waiting(server_->port());
  waiting.send(kGet);
  begun.get_future().wait();
  server_.reset();
  waiting.receive();  // with an answer or without, the connection has ended
}

TEST_F(HttpServerTest, RefusesWhatIsBeyondItsLimits) {
  HttpOptions options;
  options.limits.header_bytes = 1000;
  options.limits.body_bytes = 10;
  start([](const Request&) { return Response{}; }, options);
  EXPECT_THAT(ask("GET /" + std::string(2000, 'a') + " HTTP/1.1\r\n\r\n"),
              StartsWith("HTTP/1.1 431 "));
  EXPECT_THAT(ask("POST / HTTP/1.1\r\nContent-Length: 11\r\n\r\n"), StartsWith("HTTP/1.1 413 "));
  EXPECT_THAT(ask("BAD\r\n\r\n"), StartsWith("HTTP/1.1 400 "));
  EXPECT_THAT(ask("GET /%zz HTTP/1.1\r\n\r\n"), StartsWith("HTTP/1.1 400 "));
}

TEST_F(HttpServerTest, RefusesConnectionsBeyondItsLimit) {
  HttpOptions options;
  options.limits.connections = 1;
  start([](const Request&) { return text_response(200, "text/plain", "x."); }, options);
  {
    Client first(server_->port());
    first.send(kGet);
    first.receive("x.");
    Client second(server_->port());
    EXPECT_THAT(second.receive(), StartsWith("HTTP/1.1 503 "));
  }
  while (server_->counts().connections > 0) std::this_thread::yield();
  EXPECT_THAT(ask(kGetAndClose), StartsWith("HTTP/1.1 200 "));
}

TEST_F(HttpServerTest, ASilentClientIsLetGo) {
  HttpOptions options;
  options.limits.idle = std::chrono::seconds(1);
  start([](const Request&) { return Response{}; }, options);
  Client client(server_->port());
  client.send("GET / HT");
  EXPECT_EQ(client.receive(), "");
}

TEST_F(HttpServerTest, AClientThatTakesNothingIsLetGo) {
  TemporaryFolder folder;
  const std::string path = folder.write("x", std::string(64 << 20, 'x'));
  HttpOptions options;
  options.limits.stalled = std::chrono::seconds(1);
  start(
      [&](const Request& request) {
        Response response;
        const std::string& what = request.path.at(0);
        if (what == "stream") {
          response.stream = std::make_unique<Numbers>(UINT64_MAX);
        } else if (what == "text") {
          response.content.add(std::string(64 << 20, 'x'));
        } else {
          int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
          response.content.add(std::make_shared<OpenFile>(descriptor), 0, 64 << 20);
        }
        return response;
      },
      options);
  for (const char* what : {"stream", "text", "file"}) {
    Client client(server_->port(), 4096);
    client.send("GET /" + std::string(what) + " HTTP/1.1\r\nHost: a\r\n\r\n");
    client.receive("HTTP/1.1 200 ");
    while (server_->counts().connections > 0) std::this_thread::yield();
  }
}

TEST_F(HttpServerTest, RequestsThatNoThreadTakesAreRefused) {
  std::promise<void> begun;
  std::promise<void> may_end;
  std::shared_future<void> end = may_end.get_future().share();
  HttpOptions options;
  options.threads = 1;
  options.limits.waiting_requests = 1;
  start(
      [&](const Request& request) {
        if (request.path.at(0) == "x") begun.set_value();
        end.wait();
        return text_response(200, "text/plain", "done");
      },
      options);
  Client first(server_->port());
  first.send(kGetAndClose);
  begun.get_future().wait();  // the only thread
  std::vector<std::unique_ptr<Client>> others;
  for (int i = 0; i < 3; ++i) {
    others.push_back(std::make_unique<Client>(server_->port()));
    others.back()->send("GET /y HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  }
  while (server_->counts().requests[5] < 2) std::this_thread::yield();
  may_end.set_value();
  int refused = 0;
  for (auto& client : others) refused += client->receive().starts_with("HTTP/1.1 503 ") ? 1 : 0;
  EXPECT_EQ(refused, 2);
  EXPECT_THAT(first.receive(), EndsWith("done"));
}

TEST_F(HttpServerTest, AClientThatWaitsForAWordBeforeItsBodyGetsIt) {
  start([](const Request& request) { return text_response(200, "text/plain", request.body); });
  Client client(server_->port());
  client.send("POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nExpect: 100-Continue\r\n\r\n");
  EXPECT_EQ(client.receive("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  client.send("body");
  EXPECT_THAT(client.receive("body"), StartsWith("HTTP/1.1 200 OK\r\n"));
  // Who sends the body at once reads on until the answer.
  client.send("POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nConnection: close\r\n\r\nbody");
  EXPECT_THAT(client.receive(), StartsWith("HTTP/1.1 200 OK\r\n"));
}

TEST_F(HttpServerTest, DrainingCompletesWhatHasBegun) {
  std::promise<void> begun;
  std::promise<void> may_end;
  start([&](const Request& request) {
    if (request.path.front() == "x") {
      begun.set_value();
      may_end.get_future().wait();
      EXPECT_FALSE(request.stop.stop_requested());
    }
    return text_response(200, "text/plain", "done");
  });
  Client idle(server_->port());
  idle.send("GET /y HTTP/1.1\r\nHost: a\r\n\r\n");
  idle.receive("done");
  Client half(server_->port());
  half.send("GET /y HTTP/1.1\r\nHo");
  Client busy(server_->port());
  busy.send(kGet);
  begun.get_future().wait();
  std::uint16_t port = server_->port();
  auto drained =
      std::async(std::launch::async, [&] { return server_->drain(std::chrono::minutes(1)); });
  EXPECT_EQ(idle.receive(), "");
  while (Client(port).is_connected()) std::this_thread::yield();
  EXPECT_EQ(server_->port(), port);
  half.send("st: a\r\n\r\n");
  EXPECT_THAT(half.receive(), EndsWith("done"));
  EXPECT_EQ(drained.wait_for(std::chrono::milliseconds(50)), std::future_status::timeout);
  may_end.set_value();
  std::string answer = busy.receive();
  EXPECT_THAT(answer, HasSubstr("Connection: close\r\n"));
  EXPECT_THAT(answer, EndsWith("done"));
  EXPECT_TRUE(drained.get());
}

TEST_F(HttpServerTest, DrainingHasALimit) {
  std::promise<void> begun;
  start([&](const Request& request) {
    begun.set_value();
    std::promise<void> stopped;
    std::stop_callback callback(request.stop, [&] { stopped.set_value(); });
    stopped.get_future().wait();
    return text_response(200, "text/plain", "done");
  });
  Client busy(server_->port());
  busy.send(kGet);
  begun.get_future().wait();
  EXPECT_FALSE(server_->drain(std::chrono::milliseconds(20)));
  server_.reset();
}

TEST_F(HttpServerTest, DrainingWithoutClientsTakesNoTime) {
  start([](const Request&) { return Response{}; });
  EXPECT_TRUE(server_->drain(std::chrono::hours(1)));
}

TEST_F(HttpServerTest, APortThatIsInUseIsAnError) {
  start([](const Request&) { return Response{}; });
  HttpOptions options;
  options.port = server_->port();
  EXPECT_ERROR(io, HttpServer second(options));
  options.address = "somewhere";
  EXPECT_ERROR(invalid, HttpServer third(options));
}

TEST_F(HttpServerTest, ACertificateThatIsNoneIsAnError) {
  HttpOptions options;
  options.tls_certificate = "/dev/null";
  options.tls_key = "/dev/null";
  EXPECT_ERROR(invalid, HttpServer server(options));
}

}  // namespace
}  // namespace kitbag::server
