#include <sys/socket.h>
#include <unistd.h>

#include <memory>
#include <system_error>

#include "server/api/bag_api.h"
#include "server/api/gate.h"
#include "server/http/connection.h"
#include "server/http/web_socket_connection.h"
#include "server/live/live.h"
#include "tests/fuzz/targets.h"
#include "tests/support/temporary_folder.h"

// A connection of the server with all that stands behind it: the parser of HTTP, the gate, the
// routes, and a bag. The client is the other end of a pair of sockets. The first byte of an input
// says in what pieces the others come.

namespace kitbag::fuzz {
namespace {

using namespace server;  // NOLINT: this file is about nothing else

constexpr const char* kPort = "8090";

/// What requests are about.
class Site {
 public:
  Site()
      : bag_(write_bag(folder_, session_)),
        api_(options(), LiveData(), session_, [] { return HttpCounts(); }),
        gate_({.address = "127.0.0.1", .port = 8090}, api_.signer()) {}

  /// An exception, or an answer that blames the server, is a find.
  Response answer(const Request& request) noexcept {
    Request patient = request;  // the client has ended its sending, but waits
    patient.stop = {};
    Response response;
    if (gate_.lets_in(patient, response)) response = api_.handle(patient);
    gate_.add_headers(patient, response);
    require(response.status != 500);
    return response;
  }

 private:
  static std::string write_bag(const TemporaryFolder& folder, const Session& session) {
    std::string path = folder.path("a.mcap");
    auto demo = session.open("demo://?seconds=0.2&seed=3");
    auto writer = session.create(path);
    run(*demo->read({}), *writer, *session.clock());
    writer->close();
    return path;
  }
  BagApiOptions options() const {
    BagApiOptions options;
    options.places = {bag_};
    options.cache_folder = folder_.path("cache");
    options.max_cache_bytes = 4 << 20;
    return options;
  }

  TemporaryFolder folder_;
  Session session_;
  std::string bag_;
  BagApi api_;
  Gate gate_;
};

/// The other end of a connection.
class Client {
 public:
  explicit Client(int socket) : socket_(socket) {}
  ~Client() { ::close(socket_); }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  /// What the server takes of it now; it takes nothing once it has closed.
  std::size_t send(ByteView bytes) const {
    ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    return sent > 0 ? static_cast<std::size_t>(sent) : 0;
  }
  void end_sending() const { ::shutdown(socket_, SHUT_WR); }
  /// Takes what is there; false: the server has ended.
  bool receive() {
    char piece[16 << 10];
    for (;;) {
      ssize_t size = ::recv(socket_, piece, sizeof piece, MSG_DONTWAIT);
      if (size < 0) return errno == EAGAIN;
      if (size == 0) return false;
      if (begin_.size() < kBeginBytes) begin_.append(piece, static_cast<std::size_t>(size));
    }
  }
  /// Of all that was received.
  const std::string& begin() const { return begin_; }

 private:
  static constexpr std::size_t kBeginBytes = 64 << 10;

  int socket_;
  std::string begin_;
};

/// 1 to 64 bytes, or with a `pattern` of 0 all of them.
std::size_t piece_size(unsigned pattern, unsigned number) {
  return pattern == 0 ? SIZE_MAX : 1 + pattern * (number + 1) % 64;
}

void run_connection(ByteView bytes) {
  static Site site;
  if (bytes.empty()) return;
  auto pattern = std::to_integer<unsigned>(bytes.front());
  bytes = bytes.subspan(1);

  HttpShared shared;
  shared.handler = [](const Request& request) { return site.answer(request); };
  asio::io_context io;
  auto busy = asio::make_work_guard(io);
  asio::thread_pool workers(1);
  int ends[2];
  require(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0);
  {
    Client client(ends[1]);
    asio::ip::tcp::socket socket(asio::make_strand(io));
    socket.assign(asio::ip::tcp::v4(), ends[0]);
    NetStream stream(std::move(socket), nullptr);
    std::make_shared<Connection>(shared, workers, std::move(stream))->start();
    for (unsigned i = 0; !bytes.empty() && client.receive(); ++i) {
      bytes =
          bytes.subspan(client.send(bytes.first(std::min(bytes.size(), piece_size(pattern, i)))));
      io.run_one_for(std::chrono::microseconds(100));
    }
    client.end_sending();
    while (client.receive()) io.run_one_for(std::chrono::milliseconds(1));
    require(client.begin().empty() || client.begin().starts_with("HTTP/1."));
  }
  shared.ending.request_stop();
  while (shared.connections > 0) io.run_one_for(std::chrono::milliseconds(1));
  workers.join();
}

std::vector<std::string> connection_seeds() {
  const std::string host = std::string("Host: localhost:") + kPort + "\r\n";
  std::vector<std::string> seeds;
  auto add = [&](char pattern, const std::string& text) { seeds.push_back(pattern + text); };
  for (const char* target :
       {"/bags/", "/bags/a.mcap/download/a.mcap", "/bags/a.mcap/player", "/bags/a.mcap/info",
        "/bags/a.mcap/player?start_time=1767225600&end_time=1767225601&topics=/imu&limit=2",
        "/bags/a.mcap/search?q=voltage%20%3E%201", "/bags/a.mcap/timeline?buckets=4&delay=1",
        "/view/a.mcap?topics=/odom&encoding=json", "/bags/a.mcap/events", "/metrics", "/none"}) {
    add('\0', std::string("GET ") + target + " HTTP/1.1\r\n" + host + "\r\n");
  }
  add('\7', "GET /healthz HTTP/1.1\r\n" + host + "\r\nHEAD /bags/ HTTP/1.1\r\n" + host +
                "Accept-Encoding: gzip\r\nConnection: close\r\n\r\n");
  add('\3', "GET /bags/a.mcap/download HTTP/1.0\r\nRange: bytes=0-9,20-29\r\n\r\n");
  add('\1', "POST /bags/a.mcap/events HTTP/1.1\r\n" + host +
                "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
                "2;x=y\r\n{}\r\n0\r\nTrailer: 1\r\n\r\n");
  add('\0', "POST / HTTP/1.1\r\nContent-Length: 99999999999\r\nExpect: 100-continue\r\n\r\n{}");
  add('\0', "GET /bags/a.mcap/live HTTP/1.1\r\n" + host +
                "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
                "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
                "Sec-WebSocket-Protocol: foxglove.websocket.v1\r\n\r\n");
  return seeds;
}

}  // namespace

void add_http_connection(std::map<std::string, Target>& all) {
  all["http-connection"] = {run_connection, connection_seeds};
}

}  // namespace kitbag::fuzz
