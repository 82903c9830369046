#pragma once

// Beast 1.74 needs <utility> and does not include it.
#include <utility>
//
#include <array>
#include <boost/asio.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/beast/core.hpp>
#include <memory>
#include <string>

// A TCP connection, in TLS or not, that Beast reads from and writes to.
//
// Beast makes an operation for every kind of stream, buffers and handler, and each of them takes a
// second to compile. So there is one kind of stream for both, and it hides the type of a handler:
// what lies below is compiled once, in net_stream.cpp. This costs one small allocation for each
// read and write of the socket.

namespace kitbag {

/// Any completion handler. It is called on the executor of the stream, even if it has an associated
/// executor of its own.
class IoHandler {
 public:
  template <class Handler>
  requires(!std::is_same_v<std::remove_cvref_t<Handler>, IoHandler>)
      // NOLINTNEXTLINE(google-explicit-constructor): it stands for what was given
      IoHandler(Handler&& handler)
      : held_(std::make_unique<Held<std::decay_t<Handler>>>(std::forward<Handler>(handler))) {
    using boost::asio::asio_handler_is_continuation;
    is_continuation_ = asio_handler_is_continuation(std::addressof(held<Handler>()));
  }

  void operator()(boost::system::error_code error, std::size_t size = 0) {
    std::exchange(held_, nullptr)->call(error, size);
  }

  /// Asio asks: one that goes on with what the thread does need not wake another thread.
  friend bool asio_handler_is_continuation(IoHandler* handler) { return handler->is_continuation_; }

 private:
  struct Any {
    virtual ~Any() = default;
    virtual void call(boost::system::error_code error, std::size_t size) = 0;
  };
  template <class Handler>
  struct Held final : Any {
    template <class From>
    explicit Held(From&& from) : handler(std::forward<From>(from)) {}
    void call(boost::system::error_code error, std::size_t size) override {
      if constexpr (std::is_invocable_v<Handler&, boost::system::error_code, std::size_t>) {
        handler(error, size);
      } else {
        handler(error);
      }
    }
    Handler handler;
  };
  template <class Handler>
  std::decay_t<Handler>& held() {
    return static_cast<Held<std::decay_t<Handler>>&>(*held_).handler;
  }

  std::unique_ptr<Any> held_;
  bool is_continuation_ = false;
};

/// As Beast and Asio want a stream (AsyncStream), with the timeouts of beast::tcp_stream, which is
/// the lowest layer. Not thread-safe.
class NetStream {
 public:
  using next_layer_type = boost::beast::tcp_stream;
  using executor_type = next_layer_type::executor_type;

  /// `tls`: null for none; it must outlive the stream.
  NetStream(boost::asio::ip::tcp::socket socket, boost::asio::ssl::context* tls);
  NetStream(NetStream&& other) noexcept;
  NetStream& operator=(NetStream&& other) = delete;
  ~NetStream();

  bool is_tls() const { return tls_ != nullptr; }
  next_layer_type& next_layer();
  const next_layer_type& next_layer() const;
  executor_type get_executor() { return next_layer().get_executor(); }

  void async_connect(const boost::asio::ip::tcp::resolver::results_type& places, IoHandler handler);
  /// These two are for streams in TLS only.
  void async_handshake_of_server(IoHandler handler);
  /// Verifies that the server is `host`.
  void async_handshake_with(const std::string& host, IoHandler handler);
  /// Ends the TLS session, or without TLS what is sent, and reads what the other end still sends.
  void async_shut_down(boost::beast::role_type role, IoHandler handler);

  template <class Buffers, class Handler>
  void async_read_some(const Buffers& buffers, Handler&& handler) {
    read_some(Pieces<boost::asio::mutable_buffer>(buffers), std::forward<Handler>(handler));
  }
  template <class Buffers, class Handler>
  void async_write_some(const Buffers& buffers, Handler&& handler) {
    write_some(Pieces<boost::asio::const_buffer>(buffers), std::forward<Handler>(handler));
  }

 private:
  /// The first of a sequence of buffers that are not empty: a read or write may do less than all.
  template <class Buffer>
  class Pieces {
   public:
    using value_type = Buffer;
    template <class Buffers>
    explicit Pieces(const Buffers& buffers) {
      auto end = boost::asio::buffer_sequence_end(buffers);
      for (auto i = boost::asio::buffer_sequence_begin(buffers); i != end; ++i) {
        Buffer each(*i);
        if (each.size() == 0) continue;
        if (size_ == each_.size()) break;
        each_[size_++] = each;
      }
    }
    const Buffer* begin() const { return each_.data(); }
    const Buffer* end() const { return each_.data() + size_; }

   private:
    std::array<Buffer, 16> each_;
    std::size_t size_ = 0;
  };

  void read_some(const Pieces<boost::asio::mutable_buffer>& pieces, IoHandler handler);
  void write_some(const Pieces<boost::asio::const_buffer>& pieces, IoHandler handler);

  class Tls;
  std::unique_ptr<next_layer_type> plain_;  ///< or else
  std::unique_ptr<Tls> tls_;
};

/// Beast calls it at the end of a WebSocket.
template <class Handler>
void async_teardown(boost::beast::role_type role, NetStream& stream, Handler&& handler) {
  stream.async_shut_down(role, std::forward<Handler>(handler));
}

}  // namespace kitbag
