#include "server/http/server.h"

#include <fmt/format.h>

#include <boost/asio/ssl.hpp>
#include <future>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "kitbag/system_error.h"
#include "server/http/connection.h"

// Two kinds of threads. Two run the io_context: they parse heads, write what is ready and never
// wait. Handlers run in a pool, as they open bags and read disks. A connection has a strand, so its
// own callbacks never run at the same time.
//
// Limits are by number and not by what clients promise: connections, requests that wait, bytes of a
// head. A connection too many gets a fixed answer and is closed, which costs no thread.
//
// drain() comes before the end: the listening socket is closed, connections without a request are
// closed, and all others after their answer, which says "Connection: close".
//
// At the end: stop tokens of all requests first, a moment for WebSockets to say goodbye, then the
// pool, then the io threads. What connections use is destroyed last.

namespace kitbag::server {
namespace {

using asio::ip::tcp;

/// WebSockets are over within this time when the server ends.
constexpr std::chrono::milliseconds kSocketsEnd(900);
/// How often drain() looks whether all is over.
constexpr std::chrono::milliseconds kDrainPoll(10);

/// More than processors: some wait for a disk, or open a bag for long.
unsigned threads_of(const HttpOptions& options) {
  return options.threads ? options.threads : std::max(8U, 2 * std::thread::hardware_concurrency());
}

}  // namespace

class HttpServer::Inside {
 public:
  explicit Inside(const HttpOptions& options)
      : acceptor_(asio::make_strand(io_)),
        pause_(acceptor_.get_executor()),
        workers_(threads_of(options)) {
    shared_.limits = options.limits;
    if (!options.tls_certificate.empty()) use_certificate(options);
    listen(options);
  }

  ~Inside() {
    shared_.draining.request_stop();
    shared_.ending.request_stop();
    {
      std::unique_lock lock(shared_.sockets_mutex);
      shared_.sockets_changed.wait_for(lock, kSocketsEnd, [this] { return shared_.sockets == 0; });
    }
    workers_.stop();
    workers_.join();
    io_.stop();
    for (std::thread& each : threads_) each.join();
  }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;

  void start(HttpHandler handler) {
    shared_.handler = std::move(handler);
    accept();
    for (int i = 0; i < 2; ++i) threads_.emplace_back([this] { io_.run(); });
  }

  bool drain(std::chrono::milliseconds most) {
    auto until = std::chrono::steady_clock::now() + most;
    shared_.draining.request_stop();
    // The task holds what it needs: it may run after this call.
    auto stopped = std::make_shared<std::promise<void>>();
    asio::post(acceptor_.get_executor(), [this, stopped] {
      stop_accepting();
      stopped->set_value();
    });
    if (stopped->get_future().wait_until(until) != std::future_status::ready) return false;
    while (!is_drained()) {
      if (std::chrono::steady_clock::now() >= until) return false;
      std::this_thread::sleep_for(kDrainPoll);
    }
    return true;
  }

  std::uint16_t port() const { return port_; }
  HttpCounts counts() const {
    HttpCounts counts;
    for (std::size_t i = 0; i < counts.requests.size(); ++i) {
      counts.requests[i] = shared_.requests[i];
    }
    counts.sent_bytes = shared_.sent_bytes;
    counts.aborted = shared_.aborted;
    counts.connections = shared_.connections;
    return counts;
  }

 private:
  void use_certificate(const HttpOptions& options) {
    try {
      tls_.emplace(asio::ssl::context::tls_server);
      tls_->set_options(asio::ssl::context::default_workarounds | asio::ssl::context::no_sslv2 |
                        asio::ssl::context::no_sslv3 | asio::ssl::context::no_tlsv1 |
                        asio::ssl::context::no_tlsv1_1);
      tls_->use_certificate_chain_file(options.tls_certificate);
      tls_->use_private_key_file(options.tls_key, asio::ssl::context::pem);
    } catch (const boost::system::system_error& error) {
      throw Error(ErrorCode::invalid,
                  fmt::format("the certificate and its key {} cannot be used: {}", options.tls_key,
                              error.code().message()),
                  options.tls_certificate);
    }
  }

  void listen(const HttpOptions& options) {
    std::string place = fmt::format("{}:{}", options.address, options.port);
    error_code error;
    auto address = asio::ip::make_address(options.address, error);
    if (error) {
      throw Error(ErrorCode::invalid, "not an IP address to listen on", options.address);
    }
    try {
      tcp::endpoint end(address, options.port);
      acceptor_.open(end.protocol());
      acceptor_.set_option(tcp::acceptor::reuse_address(true));
      acceptor_.bind(end);
      acceptor_.listen(asio::socket_base::max_listen_connections);
      port_ = acceptor_.local_endpoint().port();
    } catch (const boost::system::system_error& failure) {
      throw SystemError(Error(ErrorCode::io, "cannot listen: " + failure.code().message(), place),
                        failure.code().value());
    }
  }

  void accept() {
    if (shared_.draining.stop_requested()) return;
    acceptor_.async_accept(asio::make_strand(io_), [this](error_code error, tcp::socket socket) {
      if (error == asio::error::operation_aborted) return;
      if (error) return accept_later();
      take(std::move(socket));
      accept();
    });
  }

  /// No descriptor is left, or no memory: the clients wait in the system's queue.
  void accept_later() {
    pause_.expires_after(std::chrono::milliseconds(50));
    pause_.async_wait([this](error_code error) {
      if (!error) accept();
    });
  }

  /// Clients that have connected already are served; the system refuses those that come.
  void stop_accepting() {
    error_code error;
    acceptor_.cancel(error);
    acceptor_.non_blocking(true, error);
    while (!error) {
      tcp::socket socket(asio::make_strand(io_));
      acceptor_.accept(socket, error);
      if (!error) take(std::move(socket));
    }
    acceptor_.close(error);
  }

  bool is_drained() {
    std::lock_guard lock(shared_.sockets_mutex);
    return shared_.serving == 0 && shared_.sockets == 0;
  }

  void take(tcp::socket socket) {
    if (shared_.connections >= shared_.limits.connections) {
      constexpr std::string_view kFull =
          "HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";
      ::send(socket.native_handle(), kFull.data(), kFull.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
      return;
    }
    auto strand = socket.get_executor();
    NetStream stream(std::move(socket), tls_ ? &*tls_ : nullptr);
    auto connection = std::make_shared<Connection>(shared_, workers_, std::move(stream));
    asio::post(strand, [connection] { connection->start(); });
  }

  // What connections use is declared before what holds connections: it goes last.
  HttpShared shared_;
  std::optional<asio::ssl::context> tls_;  ///< none: OpenSSL is not even loaded
  std::uint16_t port_ = 0;
  asio::io_context io_;
  tcp::acceptor acceptor_;
  asio::steady_timer pause_;
  asio::thread_pool workers_;
  std::vector<std::thread> threads_;
};

HttpServer::HttpServer(const HttpOptions& options) : inside_(std::make_unique<Inside>(options)) {}

HttpServer::~HttpServer() = default;

void HttpServer::start(HttpHandler handler) {
  inside_->start(std::move(handler));
}

bool HttpServer::drain(std::chrono::milliseconds most) {
  return inside_->drain(most);
}

std::uint16_t HttpServer::port() const {
  return inside_->port();
}

HttpCounts HttpServer::counts() const {
  return inside_->counts();
}

}  // namespace kitbag::server
