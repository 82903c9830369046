#pragma once

#include <sys/socket.h>

#include <cerrno>
#include <exception>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "kitbag/error.h"
#include "net/net_stream.h"
#include "server/http/response_sender.h"
#include "server/http/shared.h"
#include "server/http/web_socket_connection.h"
#include "server/http/words.h"

// One connection, from its first byte to its last. All of it runs on one strand, but for the
// handler and the making of bodies, which may take long and run on the workers; meanwhile the
// strand only watches whether the client is still there.

namespace kitbag::server {

class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(HttpShared& shared, asio::thread_pool& workers, NetStream stream)
      : shared_(shared),
        workers_(workers),
        stream_(std::move(stream)),
        half_closed_(stream_.get_executor()),
        sender_(*this) {
    ++shared_.connections;
    ++shared_.serving;
  }
  ~Connection() {
    is_at_end();
    --shared_.connections;
  }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void start() {
    error_code ignored;
    socket().set_option(asio::ip::tcp::no_delay(true), ignored);
    socket().native_non_blocking(true, ignored);
    auto end = socket().remote_endpoint(ignored);
    client_ = end.address().to_string(ignored);
    draining_.emplace(shared_.draining.get_token(), [weak = weak_from_this()] {
      auto self = weak.lock();
      if (!self) return;
      auto strand = self->stream_.get_executor();
      asio::post(strand, [self = std::move(self)] { self->leave_if_idle(); });
    });
    if (stream_.is_tls()) {
      tcp().expires_after(shared_.limits.idle);
      stream_.async_handshake_of_server([self = self()](error_code error) {
        if (!error) self->read();
      });
    } else {
      read();
    }
  }

  // --- for the sender ---

  NetStream& stream() { return stream_; }
  HttpShared& shared() { return shared_; }
  asio::thread_pool& workers() { return workers_; }
  std::stop_token stop_token() const { return stop_.get_token(); }

  /// While others work for this client: notices that it has gone. One that has sent its request and
  /// closed its side (shutdown(2)) looks the same until something is written to it, so the work
  /// goes on for a moment.
  void watch() {
    socket().async_wait(
        asio::ip::tcp::socket::wait_read, [self = self(), round = ++round_](error_code error) {
          if (error || round != self->round_) return;
          char next = 0;
          ssize_t size = ::recv(self->socket().native_handle(), &next, 1, MSG_PEEK | MSG_DONTWAIT);
          if (size == 0 && !self->stream_.is_tls()) return self->watch_half_closed(round);
          bool has_gone = size == 0 || (size < 0 && errno != EAGAIN);
          if (has_gone) self->stop_.request_stop();
        });
  }
  /// The response has left.
  void is_sent() {
    ++round_;
    half_closed_.cancel();
    ending_.reset();
    if (!sender_.keeps_alive() || shared_.draining.stop_requested()) return end();
    read();
  }
  /// Closes the connection, whatever has left.
  void abort() {
    is_at_end();
    ++round_;
    half_closed_.cancel();
    stop_.request_stop();
    // To HTTP/1.0 the end of the connection is that of the body, unless it is reset.
    error_code ignored;
    if (sender_.abort()) socket().set_option(asio::socket_base::linger(true, 0), ignored);
    tcp().close();
  }

 private:
  /// How long, and for how much, a connection that was ended is still read.
  static constexpr std::chrono::seconds kGoodbye{2};
  static constexpr std::uint64_t kMostUnread = 1 << 20;
  static constexpr std::size_t kUnreadBytes = 64 << 10;

  std::shared_ptr<Connection> self() { return shared_from_this(); }
  beast::tcp_stream& tcp() { return stream_.next_layer(); }
  asio::ip::tcp::socket& socket() { return tcp().socket(); }

  // --- requests ---

  void read() {
    parser_.emplace();
    parser_->header_limit(static_cast<std::uint32_t>(shared_.limits.header_bytes));
    parser_->body_limit(shared_.limits.body_bytes);
    is_reading_ = true;
    tcp().expires_after(shared_.limits.idle);
    http::async_read_header(
        stream_, buffer_, *parser_,
        [self = self()](error_code error, std::size_t) { self->take_head(error); });
  }

  /// Some clients wait for a word before they send a large body (RFC 9110, 10.1.1).
  void take_head(error_code error) {
    if (error || parser_->is_done()) return take_request(error);
    const auto& message = parser_->get();
    auto expectation = message[http::field::expect];
    bool is_awaited = message.version() >= 11 &&
                      lowered({expectation.data(), expectation.size()}) == "100-continue";
    if (!is_awaited) return read_body();
    constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
    asio::async_write(stream_, asio::buffer(kContinue.data(), kContinue.size()),
                      [self = self()](error_code failure, std::size_t) {
                        failure ? self->take_request(failure) : self->read_body();
                      });
  }

  void read_body() {
    http::async_read(stream_, buffer_, *parser_,
                     [self = self()](error_code error, std::size_t) { self->take_request(error); });
  }

  /// The server is about to end: nothing has come of another request, and nothing is to come.
  void leave_if_idle() {
    if (!is_reading_ || buffer_.size() > 0 || parser_->got_some()) return;
    char next = 0;
    if (::recv(socket().native_handle(), &next, 1, MSG_PEEK | MSG_DONTWAIT) > 0) return;
    is_leaving_ = true;
    tcp().cancel();
  }

  void take_request(error_code error) {
    is_reading_ = false;
    tcp().expires_never();
    if (is_leaving_ && error == asio::error::operation_aborted) return end();
    if (error == http::error::end_of_stream) return end();
    if (error == http::error::header_limit) return refuse(431, "the header is too large");
    if (error == http::error::body_limit) return refuse(413, "the body is too large");
    if (error.category() == http::make_error_code(http::error::bad_method).category()) {
      return refuse(400, "malformed HTTP: " + error.message());
    }
    if (error) return;
    auto& message = parser_->get();
    framing_ = {.is_http_1_0 = message.version() < 11, .keeps_alive = message.keep_alive()};
    Request request;
    request.method = std::string(message.method_string());
    framing_.is_head = request.method == "HEAD";
    std::string_view target(message.target().data(), message.target().size());
    if (!parse_target(target, request)) return refuse(400, "malformed URL");
    for (const auto& field : message) {
      request.headers.emplace_back(
          lowered({field.name_string().data(), field.name_string().size()}),
          std::string(field.value()));
    }
    request.body = std::move(message.body());
    request.client = client_;
    request.is_tls = stream_.is_tls();
    handle(std::move(request));
  }

  void handle(Request request) {
    stop_ = std::stop_source();
    ending_.emplace(shared_.ending.get_token(), [stop = stop_]() mutable { stop.request_stop(); });
    request.stop = stop_.get_token();
    if (++shared_.waiting > shared_.limits.waiting_requests) {
      --shared_.waiting;
      return refuse(503, "too many requests are waiting");
    }
    watch();
    asio::post(workers_, [self = self(), request = std::move(request)]() mutable {
      --self->shared_.waiting;
      Response response;
      try {
        response = self->shared_.handler(request);
      } catch (const std::exception& error) {
        response = error_response(500, error.what());
      }
      asio::post(self->stream_.get_executor(), [self, response = std::move(response)]() mutable {
        self->send(std::move(response));
      });
    });
  }

  void refuse(int status, const std::string& why) {
    framing_.keeps_alive = false;
    send(error_response(status, why));
  }

  // --- responses ---

  void send(Response response) {
    if (response.session) {
      ++shared_.requests[1];  // 101
      return become_web_socket(std::move(response));
    }
    if (shared_.draining.stop_requested()) framing_.keeps_alive = false;
    sender_.send(std::move(response), framing_);
  }

  /// Hands the stream and the session over; what is left of this object keeps the request.
  void become_web_socket(Response response) {
    ++round_;
    ending_.reset();
    draining_.reset();
    is_at_end();
    error_code ignored;
    socket().cancel(ignored);  // what watch() waits for
    if (buffer_.size() > 0) {
      response.session.reset();
      return refuse(400, "a client waits for the answer before it sends frames");
    }
    auto connection = std::make_shared<WebSocketConnection>(shared_, workers_, std::move(stream_),
                                                            std::move(response.session));
    connection->start(parser_->get(), response.subprotocol, std::move(response.headers), self());
  }

  // --- the end ---

  /// From here on, nothing is to be waited for.
  void is_at_end() {
    if (!std::exchange(is_over_, true)) --shared_.serving;
  }

  void watch_half_closed(unsigned round) {
    half_closed_.expires_after(shared_.limits.half_closed);
    half_closed_.async_wait([self = self(), round](error_code error) {
      if (!error && round == self->round_) self->stop_.request_stop();
    });
  }

  void end() {
    is_at_end();
    tcp().expires_after(kGoodbye);
    if (stream_.is_tls()) {
      stream_.async_shut_down(beast::role_type::server,
                              [self = self()](error_code) { self->abort(); });
    } else {
      error_code ignored;
      socket().shutdown(asio::ip::tcp::socket::shutdown_send, ignored);
      left_ = kMostUnread;
      drain();
    }
  }

  /// Reads and discards what the client still sends. Closing before would reset the connection, and
  /// the client might never see why it was refused.
  void drain() {
    unread_.resize(kUnreadBytes);
    tcp().async_read_some(asio::buffer(unread_),
                          [self = self()](error_code error, std::size_t size) {
                            if (error || size >= self->left_) return self->abort();
                            self->left_ -= size;
                            self->drain();
                          });
  }

  HttpShared& shared_;
  asio::thread_pool& workers_;
  NetStream stream_;
  std::string client_;
  beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::string_body>> parser_;
  std::stop_source stop_;
  std::optional<std::stop_callback<std::function<void()>>> ending_;
  std::optional<std::stop_callback<std::function<void()>>> draining_;
  bool is_reading_ = false;  ///< a request is awaited, or comes
  bool is_leaving_ = false;  ///< it is awaited no longer
  bool is_over_ = false;
  unsigned round_ = 0;  ///< of watch(): an older one is over
  asio::steady_timer half_closed_;
  Framing framing_;         ///< of the answer to the request
  std::string unread_;      ///< what is read of a connection that was ended
  std::uint64_t left_ = 0;  ///< of that
  ResponseSender<Connection> sender_;
};

}  // namespace kitbag::server
