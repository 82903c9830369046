#pragma once

#include <sys/socket.h>
#include <unistd.h>

// Beast 1.74 needs <utility> and does not include it.
#include <utility>
//
#include <array>
#include <atomic>
#include <boost/asio.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl.hpp>
#include <cerrno>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <sstream>
#include <stop_token>
#include <string>

#include "kitbag/error.h"
#include "server/http/server.h"

// One connection, from its first byte to its last. All of it runs on one strand, but for the
// handler and the making of bodies, which may take long and run on the workers; meanwhile the
// strand only watches whether the client is still there.
//
// A body leaves in one of three ways. Texts and, with TLS, files are written in pieces; files
// without TLS go by sendfile(2). Streams are pulled: the next piece is made when the client has
// taken the one before, so that a slow client costs one piece of memory and no thread.
//
// Only server.cpp includes this file: Beast is expensive to compile.

namespace kitbag::server {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using boost::system::error_code;

/// What all connections of a server share.
struct HttpShared {
  HttpLimits limits;
  HttpHandler handler;
  std::stop_source ending;
  std::atomic<std::size_t> connections = 0;
  std::atomic<std::size_t> waiting = 0;  ///< requests that no worker has begun
  // As in HttpCounts.
  std::array<std::atomic<std::uint64_t>, 6> requests = {};
  std::atomic<std::uint64_t> sent_bytes = 0;
  std::atomic<std::uint64_t> aborted = 0;

  // WebSockets hold sessions with threads of their own, so the server waits for their end.
  std::mutex sockets_mutex;
  std::condition_variable sockets_changed;
  std::size_t sockets = 0;  ///< that have not ended; guarded by sockets_mutex
};

template <class Stream>
class WebSocketConnection;

template <class Stream>
class Connection : public std::enable_shared_from_this<Connection<Stream>> {
 public:
  static constexpr bool kIsTls = !std::is_same_v<Stream, beast::tcp_stream>;

  template <class... Arguments>
  Connection(HttpShared& shared, asio::thread_pool& workers, Arguments&&... arguments)
      : shared_(shared),
        workers_(workers),
        stream_(std::forward<Arguments>(arguments)...),
        timer_(stream_.get_executor()) {
    ++shared_.connections;
  }
  ~Connection() { --shared_.connections; }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void start() {
    error_code ignored;
    socket().set_option(asio::ip::tcp::no_delay(true), ignored);
    socket().native_non_blocking(true, ignored);
    auto end = socket().remote_endpoint(ignored);
    client_ = end.address().to_string(ignored);
    if constexpr (kIsTls) {
      tcp().expires_after(shared_.limits.idle);
      stream_.async_handshake(asio::ssl::stream_base::server, [self = self()](error_code error) {
        if (!error) self->read();
      });
    } else {
      read();
    }
  }

 private:
  /// A text is written in pieces of this size, so that a slow client is not taken for a dead one.
  static constexpr std::size_t kPieceBytes = 1 << 20;
  /// How long, and for how much, a connection that was ended is still read.
  static constexpr std::chrono::seconds kGoodbye{2};
  static constexpr std::uint64_t kMostUnread = 1 << 20;
  /// What leaves in one step by sendfile(2), before others have their turn.
  static constexpr std::size_t kTurnBytes = 8 << 20;

  std::shared_ptr<Connection> self() { return this->shared_from_this(); }
  beast::tcp_stream& tcp() { return beast::get_lowest_layer(stream_); }
  asio::ip::tcp::socket& socket() { return tcp().socket(); }

  // --- requests ---

  void read() {
    parser_.emplace();
    parser_->header_limit(static_cast<std::uint32_t>(shared_.limits.header_bytes));
    parser_->body_limit(shared_.limits.body_bytes);
    tcp().expires_after(shared_.limits.idle);
    http::async_read(stream_, buffer_, *parser_,
                     [self = self()](error_code error, std::size_t) { self->take_request(error); });
  }

  void take_request(error_code error) {
    tcp().expires_never();
    if (error == http::error::end_of_stream) return end();
    if (error == http::error::header_limit) return refuse(431, "the header is too large");
    if (error == http::error::body_limit) return refuse(413, "the body is too large");
    if (error.category() == http::make_error_code(http::error::bad_method).category()) {
      return refuse(400, "malformed HTTP: " + error.message());
    }
    if (error) return;
    auto& message = parser_->get();
    keeps_alive_ = message.keep_alive();
    is_http_1_0_ = message.version() < 11;
    Request request;
    request.method = std::string(message.method_string());
    is_head_ = request.method == "HEAD";
    std::string_view target(message.target().data(), message.target().size());
    if (!parse_target(target, request)) return refuse(400, "malformed URL");
    for (const auto& field : message) {
      std::string name(field.name_string());
      for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
      request.headers.emplace_back(std::move(name), std::string(field.value()));
    }
    request.body = std::move(message.body());
    request.client = client_;
    request.is_tls = kIsTls;
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

  /// While others work for this client: notices that it has gone.
  void watch() {
    socket().async_wait(
        asio::ip::tcp::socket::wait_read, [self = self(), round = ++round_](error_code error) {
          if (error || round != self->round_) return;
          char next = 0;
          ssize_t size = ::recv(self->socket().native_handle(), &next, 1, MSG_PEEK | MSG_DONTWAIT);
          bool has_gone = size == 0 || (size < 0 && errno != EAGAIN);
          if (has_gone) self->stop_.request_stop();
        });
  }

  void refuse(int status, const std::string& why) {
    keeps_alive_ = false;
    send(error_response(status, why));
  }

  // --- responses ---

  void send(Response response) {
    if (response.session) {
      ++shared_.requests[1];  // 101
      return become_web_socket(std::move(response));
    }
    response_ = std::move(response);
    ++shared_.requests[static_cast<std::size_t>(response_.status) / 100 % 6];
    is_answering_ = true;
    part_ = 0;
    bool is_bodiless = response_.status == 204 || response_.status == 304;
    is_chunked_ = response_.stream && !is_http_1_0_;
    if (response_.stream && is_http_1_0_) keeps_alive_ = false;
    http::response<http::empty_body> head;
    head.version(is_http_1_0_ ? 10 : 11);
    head.result(static_cast<unsigned>(response_.status));
    for (const auto& [name, value] : response_.headers) head.insert(name, value);
    head.keep_alive(keeps_alive_);
    if (response_.stream) {
      if (is_chunked_) head.chunked(true);
    } else if (!is_bodiless) {
      head.content_length(response_.content.size());
    }
    std::ostringstream text;
    text << head.base();
    head_ = text.str();
    has_body_ = !is_head_ && !is_bodiless;
    if (has_body_ && !response_.stream) join_small_text();
    write(asio::buffer(head_), [self = self()] { self->send_body(); });
  }

  /// Hands the stream and the session over; what is left of this object keeps the request.
  void become_web_socket(Response response) {
    ++round_;
    ending_.reset();
    error_code ignored;
    socket().cancel(ignored);  // what watch() waits for
    if (buffer_.size() > 0) {
      response.session.reset();
      return refuse(400, "a client waits for the answer before it sends frames");
    }
    auto connection = std::make_shared<WebSocketConnection<Stream>>(
        shared_, workers_, std::move(stream_), std::move(response.session));
    connection->start(parser_->get(), response.subprotocol, std::move(response.headers), self());
  }

  /// A small body leaves with the head: one packet, one call.
  void join_small_text() {
    const auto& parts = response_.content.parts();
    constexpr std::size_t kSmall = 32 << 10;
    while (part_ < parts.size() && parts[part_].text &&
           head_.size() + parts[part_].size <= kSmall) {
      head_.append(*parts[part_].text, parts[part_].offset, parts[part_].size);
      ++part_;
    }
  }

  void send_body() {
    if (!has_body_) {
      complete();
    } else if (response_.stream) {
      pull();
    } else {
      send_part();
    }
  }

  void send_part() {
    const auto& parts = response_.content.parts();
    if (part_ == parts.size()) return complete();
    at_ = parts[part_].offset;
    left_ = parts[part_].size;
    send_piece();
  }

  /// The next of what is left of a part.
  void send_piece() {
    if (left_ == 0) {
      ++part_;
      return send_part();
    }
    const Part& part = response_.content.parts()[part_];
    std::size_t size = static_cast<std::size_t>(std::min<std::uint64_t>(left_, kPieceBytes));
    if (part.text) {
      const char* data = part.text->data() + at_;
      advance(size);
      write(asio::buffer(data, size), [self = self()] { self->send_piece(); });
    } else if (kIsTls) {
      piece_.resize(size);
      ssize_t got = part.file->read(piece_.data(), size, at_);
      if (got <= 0) return abort();  // the file has become shorter or was closed
      advance(static_cast<std::size_t>(got));
      write(asio::buffer(piece_.data(), static_cast<std::size_t>(got)),
            [self = self()] { self->send_piece(); });
    } else {
      send_file(part);
    }
  }

  void send_file(const Part& part) {
    std::size_t turn = 0;
    while (left_ > 0 && turn < kTurnBytes) {
      std::size_t size = static_cast<std::size_t>(std::min<std::uint64_t>(left_, kPieceBytes));
      ssize_t sent = part.file->send(socket().native_handle(), at_, size);
      if (sent < 0 && errno == EINTR) continue;
      if (sent < 0 && errno == EAGAIN) return wait_to_write();
      if (sent <= 0) return abort();  // it has become shorter or was closed, or the client has gone
      advance(static_cast<std::size_t>(sent));
      shared_.sent_bytes += static_cast<std::uint64_t>(sent);
      turn += static_cast<std::size_t>(sent);
    }
    if (left_ == 0) return send_piece();
    asio::post(stream_.get_executor(), [self = self()] { self->send_piece(); });
  }

  void wait_to_write() {
    timer_.expires_after(shared_.limits.stalled);
    timer_.async_wait([self = self()](error_code error) {
      if (!error) self->abort();
    });
    socket().async_wait(asio::ip::tcp::socket::wait_write, [self = self()](error_code error) {
      self->timer_.cancel();
      error ? self->abort() : self->send_piece();
    });
  }

  void advance(std::size_t size) {
    at_ += size;
    left_ -= size;
  }

  // --- streams ---

  void pull() {
    watch();
    asio::post(workers_, [self = self()] {
      self->piece_.clear();
      bool more = false;
      bool is_sound = true;
      try {
        more = self->response_.stream->next(self->piece_, self->stop_.get_token());
        if (!more) is_sound = self->take_trailers();
      } catch (const std::exception&) {
        is_sound = false;
      }
      asio::post(self->stream_.get_executor(),
                 [self, more, is_sound] { is_sound ? self->push(more) : self->abort(); });
    });
  }

  /// False: there are some, and this client does not know them.
  bool take_trailers() {
    trailers_.clear();
    for (const auto& [name, value] : response_.stream->trailers()) {
      trailers_ += name + ": " + value + "\r\n";
    }
    return is_chunked_ || trailers_.empty();
  }

  void push(bool more) {
    if (is_chunked_) frame(more);
    if (piece_.empty()) return more ? pull() : complete();
    timer_.expires_after(shared_.limits.rest);
    timer_.async_wait([self = self(), round = round_](error_code error) {
      if (!error && round == self->round_ && !self->is_taken_) self->rest();
    });
    is_taken_ = false;
    write(asio::buffer(piece_), [self = self(), more] {
      std::string().swap(self->piece_);  // the next one may be long in coming
      self->is_taken_ = true;
      self->timer_.cancel();
      self->after_ = [self = self.get(), more] { more ? self->pull() : self->complete(); };
      if (!self->is_resting_) self->go_on();
    });
  }

  /// Makes a chunk of the piece (RFC 9112, section 7.1).
  void frame(bool more) {
    if (!piece_.empty()) {
      std::ostringstream size;
      size << std::hex << piece_.size() << "\r\n";
      piece_.insert(0, size.str());
      piece_ += "\r\n";
    }
    if (!more) piece_ += "0\r\n" + trailers_ + "\r\n";
  }

  void rest() {
    is_resting_ = true;
    asio::post(workers_, [self = self()] {
      try {
        self->response_.stream->rest();
      } catch (const std::exception&) {
        self->stop_.request_stop();  // next() will say why
      }
      asio::post(self->stream_.get_executor(), [self] {
        self->is_resting_ = false;
        if (self->after_) self->go_on();
      });
    });
  }

  void go_on() { std::exchange(after_, nullptr)(); }

  // --- the end ---

  template <class Buffer, class Then>
  void write(Buffer buffer, Then then) {
    tcp().expires_after(shared_.limits.stalled);
    // As much in one call as the socket takes; without this it would be 64 KiB.
    auto up_to = [](error_code error, std::size_t) { return error ? 0 : kPieceBytes; };
    asio::async_write(stream_, buffer, up_to,
                      [self = self(), then = std::move(then)](error_code error, std::size_t size) {
                        self->shared_.sent_bytes += size;
                        error ? self->abort() : then();
                      });
  }

  /// The response has left.
  void complete() {
    ++round_;
    is_answering_ = false;
    ending_.reset();
    response_ = {};
    if (!keeps_alive_ || shared_.ending.stop_requested()) return end();
    read();
  }

  void end() {
    tcp().expires_after(kGoodbye);
    if constexpr (kIsTls) {
      stream_.async_shutdown([self = self()](error_code) { self->abort(); });
    } else {
      error_code ignored;
      socket().shutdown(asio::ip::tcp::socket::shutdown_send, ignored);
      left_ = kMostUnread;
      drain();
    }
  }

  /// Takes what the client has sent and nobody has read. Closing before would reset the connection,
  /// and the client might never see why it was refused.
  void drain() {
    piece_.resize(kPieceBytes / 16);
    tcp().async_read_some(asio::buffer(piece_),
                          [self = self()](error_code error, std::size_t size) {
                            if (error || size >= self->left_) return self->abort();
                            self->left_ -= size;
                            self->drain();
                          });
  }

  /// Closes the connection, whatever has left.
  void abort() {
    if (std::exchange(is_answering_, false)) ++shared_.aborted;
    ++round_;
    stop_.request_stop();
    timer_.cancel();
    after_ = nullptr;
    // To HTTP/1.0 the end of the connection is that of the body, unless it is reset.
    error_code ignored;
    bool looks_whole = response_.stream && !is_chunked_;
    if (looks_whole) socket().set_option(asio::socket_base::linger(true, 0), ignored);
    tcp().close();
  }

  HttpShared& shared_;
  asio::thread_pool& workers_;
  Stream stream_;
  asio::steady_timer timer_;
  std::string client_;
  beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::string_body>> parser_;
  std::stop_source stop_;
  std::optional<std::stop_callback<std::function<void()>>> ending_;
  unsigned round_ = 0;  ///< of watch() and of the timer: an older one is over

  Response response_;
  std::string head_;
  std::string piece_;
  std::string trailers_;  ///< lines, behind the last chunk
  bool is_head_ = false;
  bool keeps_alive_ = false;
  bool is_http_1_0_ = false;
  bool is_chunked_ = false;
  bool has_body_ = false;
  bool is_answering_ = false;  ///< the response has not left whole
  std::size_t part_ = 0;       ///< of the content
  std::uint64_t at_ = 0;       ///< in that part
  std::uint64_t left_ = 0;     ///< of that part

  bool is_taken_ = true;  ///< by the client: the last piece of a stream
  bool is_resting_ = false;
  std::function<void()> after_;  ///< what follows when the rest is over
};

}  // namespace kitbag::server
