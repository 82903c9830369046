#pragma once

#include <boost/beast/websocket.hpp>
#include <condition_variable>
#include <deque>
#include <mutex>

#include "net/net_stream.h"
#include "server/http/message.h"
#include "server/http/shared.h"
#include "server/http/web_socket.h"

// A connection after its upgrade. All of it runs on the strand that the connection had before, but
// for the sender's calls, which come from any thread: they put messages into a queue and wake the
// strand, which writes one after the other. The socket's own timer closes it when nothing comes
// from the client, not even an answer to a ping.
//
// Only server.cpp includes this file: Beast is expensive to compile.

namespace kitbag::server {

namespace websocket = boost::beast::websocket;

class WebSocketConnection final : public WebSocketSender,
                                  public std::enable_shared_from_this<WebSocketConnection> {
 public:
  WebSocketConnection(HttpShared& shared, asio::thread_pool& workers, NetStream stream,
                      std::unique_ptr<WebSocketSession> session)
      : shared_(shared),
        workers_(workers),
        stream_(std::move(stream)),
        goodbye_(stream_.get_executor()),
        session_(std::move(session)) {
    ++shared_.connections;
    std::lock_guard lock(shared_.sockets_mutex);
    ++shared_.sockets;
  }
  ~WebSocketConnection() override { --shared_.connections; }
  WebSocketConnection(const WebSocketConnection&) = delete;
  WebSocketConnection& operator=(const WebSocketConnection&) = delete;

  /// `request` must stay until the upgrade is complete; `keeper` keeps it.
  template <class Body>
  void start(const http::request<Body>& request, const std::string& subprotocol, TextPairs headers,
             std::shared_ptr<void> keeper) {
    beast::get_lowest_layer(stream_).expires_never();
    stream_.set_option(
        websocket::stream_base::timeout{shared_.limits.idle, shared_.limits.idle, true});
    stream_.set_option(websocket::stream_base::decorator(
        [subprotocol, headers = std::move(headers)](websocket::response_type& response) {
          response.set(http::field::sec_websocket_protocol, subprotocol);
          for (const auto& [name, value] : headers) response.insert(name, value);
        }));
    stream_.write_buffer_bytes(kFragmentBytes);
    stream_.read_message_max(shared_.limits.socket_message_bytes);
    ending_.emplace(shared_.draining.get_token(), [weak = weak_from_this()] {
      if (auto self = weak.lock()) {
        asio::post(self->stream_.get_executor(), [self] { self->go_away(); });
      }
    });
    stream_.async_accept(request, [self = self(), keeper](error_code error) {
      if (error) return self->end();
      self->open();
    });
  }

  void send_text(std::string text) override { add({true, std::move(text)}); }

  void send_binary(ByteView head, ByteView rest) override {
    std::string bytes;
    bytes.reserve(head.size() + rest.size());
    bytes.append(as_text(head)).append(as_text(rest));
    add({false, std::move(bytes)});
  }

  std::size_t waiting_bytes() const override {
    std::lock_guard lock(mutex_);
    return waiting_bytes_;
  }

  bool await_room(std::size_t bytes, std::stop_token stop) override {
    std::unique_lock lock(mutex_);
    bool has_room =
        room_.wait(lock, std::move(stop), [&] { return is_over_ || waiting_bytes_ <= bytes; });
    return has_room && !is_over_;
  }

  void close(const std::string& reason) override {
    {
      std::lock_guard lock(mutex_);
      if (std::exchange(is_closing_, true)) return;
      reason_ = {websocket::close_code::normal, reason.substr(0, kMostReasonBytes)};
    }
    asio::post(stream_.get_executor(), [self = self()] { self->write(); });
  }

 private:
  struct Outgoing {
    bool is_text = false;
    std::string bytes;
  };

  /// Larger messages are sent in pieces of this size; answers to pings go between them.
  static constexpr std::size_t kFragmentBytes = 256 << 10;
  /// What a message takes beside its bytes, roughly.
  static constexpr std::size_t kEntryBytes = 64;
  /// A close frame holds at most 123.
  static constexpr std::size_t kMostReasonBytes = 120;
  /// For the client's answer to a close frame; when the server ends, for what is written before,
  /// too.
  static constexpr std::chrono::milliseconds kGoodbye{500};

  std::shared_ptr<WebSocketConnection> self() { return shared_from_this(); }

  void open() {
    is_open_ = true;
    session_->on_open(self());
    read();
  }

  void read() {
    stream_.async_read(incoming_, [self = self()](error_code error, std::size_t) {
      if (error) return self->end();
      auto bytes = self->incoming_.cdata();
      ByteView message(static_cast<const std::byte*>(bytes.data()), bytes.size());
      if (self->stream_.got_text()) {
        self->session_->on_text(as_text(message));
      } else {
        self->session_->on_binary(message);
      }
      self->incoming_.clear();
      self->read();
    });
  }

  void add(Outgoing message) {
    bool is_first = false;
    {
      std::lock_guard lock(mutex_);
      if (is_over_ || is_closing_) return;
      waiting_bytes_ += message.bytes.size() + kEntryBytes;
      is_too_slow_ |= waiting_bytes_ > shared_.limits.socket_waiting_bytes;
      is_first = outgoing_.empty() || is_too_slow_;
      outgoing_.push_back(std::move(message));
    }
    if (is_first) asio::post(stream_.get_executor(), [self = self()] { self->write(); });
  }

  /// Begins to write the first of what waits, if nothing is being written.
  void write() {
    if (is_writing_ || has_ended_) return;
    const Outgoing* next = nullptr;
    {
      std::lock_guard lock(mutex_);
      if (is_too_slow_) {
        asio::post(stream_.get_executor(), [self = self()] { self->end(); });
        return;
      }
      if (!outgoing_.empty()) next = &outgoing_.front();
      if (!next && !is_closing_) return;
    }
    is_writing_ = true;
    if (!next) return say_goodbye(reason_);
    stream_.binary(!next->is_text);
    stream_.async_write(asio::buffer(next->bytes), [self = self()](error_code error, std::size_t) {
      self->is_writing_ = false;
      if (error) return self->end();
      self->remove_first();
      self->write();
    });
  }

  void remove_first() {
    {
      std::lock_guard lock(mutex_);
      waiting_bytes_ -= outgoing_.front().bytes.size() + kEntryBytes;
      outgoing_.pop_front();
    }
    room_.notify_all();
  }

  /// The server ends: a client that takes what is sent to it gets to know. The message that is
  /// being written is completed, as a close frame cannot come inside of it; the others are dropped.
  void go_away() {
    if (has_ended_) return;
    if (!is_open_) return end();
    {
      std::lock_guard lock(mutex_);
      is_closing_ = true;
      reason_ = websocket::close_code::going_away;
      while (outgoing_.size() > (is_writing_ ? 1 : 0)) {
        waiting_bytes_ -= outgoing_.back().bytes.size() + kEntryBytes;
        outgoing_.pop_back();
      }
    }
    room_.notify_all();
    end_after_goodbye();
    write();
  }

  void say_goodbye(const websocket::close_reason& reason) {
    end_after_goodbye();
    stream_.async_close(reason, [self = self()](error_code) { self->end(); });
  }

  void end_after_goodbye() {
    if (std::exchange(is_leaving_, true)) return;
    goodbye_.expires_after(kGoodbye);
    goodbye_.async_wait([self = self()](error_code error) {
      if (!error) self->end();
    });
  }

  /// Closes the connection, whatever has left, and releases the session where it may wait.
  void end() {
    if (std::exchange(has_ended_, true)) return;
    {
      std::lock_guard lock(mutex_);
      is_over_ = true;
    }
    room_.notify_all();
    goodbye_.cancel();
    error_code ignored;
    beast::get_lowest_layer(stream_).socket().close(ignored);
    if (is_open_) session_->on_close();
    ending_.reset();
    // The destructor of a session may wait for its threads.
    asio::post(workers_, [session = std::shared_ptr<WebSocketSession>(std::move(session_)),
                          &shared = shared_]() mutable {
      session.reset();
      std::lock_guard lock(shared.sockets_mutex);
      --shared.sockets;
      shared.sockets_changed.notify_all();
    });
  }

  HttpShared& shared_;
  asio::thread_pool& workers_;
  websocket::stream<NetStream> stream_;
  asio::steady_timer goodbye_;
  beast::flat_buffer incoming_;
  std::unique_ptr<WebSocketSession> session_;
  std::optional<std::stop_callback<std::function<void()>>> ending_;
  bool is_open_ = false;
  bool is_writing_ = false;
  bool is_leaving_ = false;
  bool has_ended_ = false;

  mutable std::mutex mutex_;  ///< for all below
  std::condition_variable_any room_;
  std::deque<Outgoing> outgoing_;  ///< the first is being written
  std::size_t waiting_bytes_ = 0;
  bool is_too_slow_ = false;
  bool is_closing_ = false;
  bool is_over_ = false;
  websocket::close_reason reason_;
};

}  // namespace kitbag::server
