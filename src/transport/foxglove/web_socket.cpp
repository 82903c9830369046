#include "transport/foxglove/web_socket.h"

// Beast 1.74 needs <utility> and does not include it.
#include <utility>
//
#include <fmt/format.h>

#include <boost/asio.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/websocket.hpp>
#include <functional>
#include <optional>

#include "kitbag/error.h"
#include "net/net_stream.h"

// Beast's operations are asynchronous, the calls of this interface wait: each begins an operation
// and runs the callbacks on the caller's thread until it is complete, the time is over or a stop
// was requested. A read that is under way stays so between calls, as Beast answers pings within
// reads.
//
// Each connection has an io_context of its own, and no thread runs it. So nothing runs between the
// calls, and callbacks need no lock. The price: pings of the server are answered only while
// somebody calls, hence publishers that only send have to read now and then.
//
// A stop comes from any thread. It posts an empty callback, which ends run_one_until(); the
// operation under way is then left alone, with the buffers of a caller that has returned. That is
// why nothing is run any more after it (is_abandoned_), and why its result lies in shared memory.
//
// TLS trusts the certificates of the system and verifies the name. A server that fails this gives
// `unsupported`, not `io`, so that nobody tries again for ever.

namespace kitbag::foxglove {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace websocket = beast::websocket;
using boost::system::error_code;

constexpr std::chrono::seconds kHandshakeTime(10);
/// A server that sends nothing for this long, also no answer to a ping, has gone.
constexpr std::chrono::seconds kIdleTime(60);
constexpr std::chrono::milliseconds kCloseTime(500);
constexpr const char* kConnecting = "cannot connect";
constexpr const char* kLost = "the connection is lost";
/// Of the body of an answer that refuses the connection.
constexpr std::size_t kMostReasonBytes = 200;

class BeastSocket final : public WebSocket {
 public:
  BeastSocket(WebSocketTarget target, std::string uri, std::stop_token stop)
      : target_(std::move(target)),
        uri_(std::move(uri)),
        stop_(std::move(stop)),
        stream_(asio::ip::tcp::socket(io_), tls()),
        on_stop_(stop_, [this] { asio::post(io_, [] {}); }) {}

  bool open() override {
    bool is_done = step(kConnecting, [&](auto then) {
      resolver_.async_resolve(target_.host, target_.port, [this, then](auto error, auto found) {
        places_ = found;
        then(error);
      });
    });
    if (!is_done) return false;
    NetStream& stream = stream_.next_layer();
    beast::tcp_stream& tcp = stream.next_layer();
    tcp.expires_after(kHandshakeTime);
    is_done = step(kConnecting, [&](auto then) { stream.async_connect(places_, then); });
    if (is_done && stream.is_tls()) {
      is_done =
          step(kConnecting, [&](auto then) { stream.async_handshake_with(target_.host, then); });
    }
    if (!is_done) return false;
    error_code ignored;
    tcp.socket().set_option(asio::ip::tcp::no_delay(true), ignored);
    tcp.expires_never();
    return upgrade();
  }

  std::optional<WebSocketMessage> receive(Duration timeout) override {
    if (!is_reading_ && !has_read_) begin_read();
    run([this] { return has_read_; }, std::chrono::steady_clock::now() + timeout);
    if (!has_read_) return std::nullopt;
    has_read_ = false;
    if (read_error_) fail(kLost, read_error_);
    auto bytes = incoming_.cdata();
    return WebSocketMessage{stream_.got_text(),
                            {static_cast<const std::byte*>(bytes.data()), bytes.size()}};
  }

  bool send(bool is_text, ByteView head, ByteView rest) override {
    stream_.binary(!is_text);
    std::array<asio::const_buffer, 2> buffers = {asio::const_buffer(head.data(), head.size()),
                                                 asio::const_buffer(rest.data(), rest.size())};
    return step(kLost, [&](auto then) {
      stream_.async_write(buffers, [then](error_code error, std::size_t) { then(error); });
    });
  }

  void close() override {
    if (is_abandoned_) return;
    bool is_done = false;
    stream_.async_close(websocket::close_code::normal, [&is_done](error_code) { is_done = true; });
    run([&is_done] { return is_done; }, std::chrono::steady_clock::now() + kCloseTime);
    error_code ignored;
    beast::get_lowest_layer(stream_).socket().close(ignored);
    run([&is_done] { return is_done; }, std::chrono::steady_clock::now() + kCloseTime);
  }

  bool is_closed() const override { return stream_.reason().code != websocket::close_code::none; }

 private:
  /// Null: it is not wanted.
  asio::ssl::context* tls() {
    if (!target_.is_tls) return nullptr;
    tls_.emplace(asio::ssl::context::tls_client);
    tls_->set_default_verify_paths();
    tls_->set_verify_mode(asio::ssl::verify_peer);
    return &*tls_;
  }

  bool upgrade() {
    std::string names = fmt::format("{}", fmt::join(target_.subprotocols, ", "));
    stream_.set_option(websocket::stream_base::timeout{kHandshakeTime, kIdleTime, true});
    stream_.set_option(websocket::stream_base::decorator([&](websocket::request_type& request) {
      namespace http = beast::http;
      if (!names.empty()) request.set(http::field::sec_websocket_protocol, names);
      if (!target_.token.empty()) {
        request.set(http::field::authorization, "Bearer " + target_.token);
      }
    }));
    stream_.read_message_max(kMostMessageBytes);
    std::string host = target_.host.find(':') == std::string::npos
                           ? fmt::format("{}:{}", target_.host, target_.port)
                           : fmt::format("[{}]:{}", target_.host, target_.port);
    try {
      bool is_done = step(kConnecting, [&](auto then) {
        stream_.async_handshake(response_, host, target_.target, std::move(then));
      });
      if (!is_done) return false;
    } catch (const Error&) {
      if (step_error_ == websocket::error::upgrade_declined) refuse();
      throw;
    }
    auto selected = response_[beast::http::field::sec_websocket_protocol];
    bool is_known = std::any_of(target_.subprotocols.begin(), target_.subprotocols.end(),
                                [&](const std::string& each) { return selected == each; });
    if (!is_known) {
      throw Error(ErrorCode::unsupported,
                  "the server does not speak the Foxglove WebSocket protocol", uri_);
    }
    return true;
  }

  [[noreturn]] void refuse() const {
    std::string reason = response_.body().substr(0, kMostReasonBytes);
    throw Error(ErrorCode::unsupported,
                fmt::format("the server refuses the connection with status {}{}{}",
                            response_.result_int(), reason.empty() ? "" : ": ", reason),
                uri_);
  }

  void begin_read() {
    incoming_.clear();
    is_reading_ = true;
    stream_.async_read(incoming_, [this](error_code error, std::size_t) {
      is_reading_ = false;
      has_read_ = true;
      read_error_ = error;
    });
  }

  /// Runs one operation to its end; `begin` gets what to call then. Returns false if it was
  /// stopped: the operation may still hold what the caller gave, so nothing is run any more.
  template <class Begin>
  bool step(const char* what, Begin begin) {
    // Shared: an operation that was stopped may end later.
    auto is_done = std::make_shared<bool>(false);
    auto result = std::make_shared<error_code>();
    begin([is_done, result](error_code error) {
      *is_done = true;
      *result = error;
    });
    run([&] { return *is_done; }, kNever);
    if (!*is_done) {
      is_abandoned_ = true;
      return false;
    }
    step_error_ = *result;
    if (step_error_) fail(what, step_error_);
    return true;
  }

  /// Runs callbacks until `is_done` holds, `until` has come, or a stop is requested.
  void run(const std::function<bool()>& is_done, SteadyTime until) {
    io_.restart();
    auto work = asio::make_work_guard(io_);
    while (!is_done() && !stop_.stop_requested()) {
      if (io_.run_one_until(until) == 0) break;
    }
  }

  [[noreturn]] void fail(const char* what, error_code error) const {
    // A server that is not trusted now is not trusted later.
    bool is_distrusted = error.category() == asio::error::get_ssl_category();
    throw Error(is_distrusted ? ErrorCode::unsupported : ErrorCode::io,
                fmt::format("{}: {}", what, error.message()), uri_);
  }

  WebSocketTarget target_;
  std::string uri_;
  std::stop_token stop_;
  asio::io_context io_;
  std::optional<asio::ssl::context> tls_;
  asio::ip::tcp::resolver resolver_{io_};
  asio::ip::tcp::resolver::results_type places_;
  websocket::response_type response_;
  beast::flat_buffer incoming_;
  websocket::stream<NetStream> stream_;
  bool is_abandoned_ = false;
  bool is_reading_ = false;
  bool has_read_ = false;
  error_code read_error_;
  error_code step_error_;
  std::stop_callback<std::function<void()>> on_stop_;
};

}  // namespace

std::unique_ptr<WebSocket> web_socket(WebSocketTarget target, std::string uri,
                                      std::stop_token stop) {
  return std::make_unique<BeastSocket>(std::move(target), std::move(uri), std::move(stop));
}

}  // namespace kitbag::foxglove
