#pragma once

#include <sys/socket.h>

// Beast 1.74 needs <utility> and does not include it.
#include <utility>
//
#include <array>
#include <boost/asio.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <cerrno>
#include <exception>
#include <functional>
#include <memory>
#include <sstream>
#include <string>

#include "server/http/message.h"
#include "server/http/shared.h"

// How a response leaves. A body does so in one of three ways. Texts and files are written in
// pieces, but local files without TLS go by sendfile(2). Files of other file systems may be far
// away, so the workers read them. Streams are pulled: the next piece is made when the client has
// taken the one before, so that a slow client costs one piece of memory and no thread.

namespace kitbag::server {

/// What the request says about the form of the answer.
struct Framing {
  bool is_head = false;  ///< no body is sent
  bool is_http_1_0 = false;
  bool keeps_alive = false;
};

/// Sends the responses of a connection, one at a time, on its strand. `Connection` has stream(),
/// shared(), workers(), watch(), stop_token(), is_sent() and abort(), and a shared_from_this().
template <class Connection>
class ResponseSender {
 public:
  explicit ResponseSender(Connection& connection)
      : connection_(connection), timer_(connection.stream().get_executor()) {}

  /// Sends it, then calls Connection::is_sent(), or abort() on the way.
  void send(Response response, const Framing& framing) {
    response_ = std::move(response);
    framing_ = framing;
    ++shared().requests[static_cast<std::size_t>(response_.status) / 100 % 6];
    is_answering_ = true;
    part_ = 0;
    bool is_bodiless = response_.status == 204 || response_.status == 304;
    is_chunked_ = response_.stream && !framing_.is_http_1_0;
    if (response_.stream && framing_.is_http_1_0) framing_.keeps_alive = false;
    make_head(is_bodiless);
    has_body_ = !framing_.is_head && !is_bodiless;
    if (has_body_ && !response_.stream) join_small_text();
    write({asio::buffer(head_)}, [this] { send_body(); });
  }

  bool keeps_alive() const { return framing_.keeps_alive; }

  /// The connection is closed; what is under way ends. Returns whether the end of the connection
  /// could be taken for the end of the body, as HTTP/1.0 does.
  bool abort() {
    if (std::exchange(is_answering_, false)) ++shared().aborted;
    ++round_;
    timer_.cancel();
    after_ = nullptr;
    return response_.stream && !is_chunked_;
  }

 private:
  /// A text is written in pieces of this size, so that a slow client is not taken for a dead one.
  static constexpr std::size_t kPieceBytes = 1 << 20;
  /// What leaves in one step by sendfile(2), before others have their turn.
  static constexpr std::size_t kTurnBytes = 8 << 20;

  auto self() { return connection_.shared_from_this(); }
  HttpShared& shared() { return connection_.shared(); }
  beast::tcp_stream& tcp() { return connection_.stream().next_layer(); }
  asio::ip::tcp::socket& socket() { return tcp().socket(); }

  void make_head(bool is_bodiless) {
    http::response<http::empty_body> head;
    head.version(framing_.is_http_1_0 ? 10 : 11);
    head.result(static_cast<unsigned>(response_.status));
    for (const auto& [name, value] : response_.headers) head.insert(name, value);
    head.keep_alive(framing_.keeps_alive);
    if (response_.stream) {
      if (is_chunked_) head.chunked(true);
    } else if (!is_bodiless) {
      head.content_length(response_.content.size());
    }
    std::ostringstream text;
    text << head.base();
    head_ = text.str();
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

  /// The response has left.
  void complete() {
    ++round_;
    is_answering_ = false;
    response_ = {};
    connection_.is_sent();
  }

  using Buffers = std::array<asio::const_buffer, 3>;

  void write(const Buffers& buffers, std::function<void()> then) {
    tcp().expires_after(shared().limits.stalled);
    // As much in one call as the socket takes; Asio's default is 64 KiB.
    auto up_to = [](error_code error, std::size_t) { return error ? 0 : kPieceBytes; };
    asio::async_write(
        connection_.stream(), buffers, up_to,
        [this, self = self(), then = std::move(then)](error_code error, std::size_t size) {
          shared().sent_bytes += size;
          error ? connection_.abort() : then();
        });
  }

  // --- texts and files ---

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
      write({asio::buffer(data, size)}, [this] { send_piece(); });
    } else if (!part.file->is_local()) {
      asio::post(connection_.workers(), [this, self = self(), size] {
        ssize_t got = read_piece(size);
        asio::post(connection_.stream().get_executor(), [this, self, got] { write_piece(got); });
      });
    } else if (connection_.stream().is_tls()) {
      write_piece(read_piece(size));
    } else {
      send_file(part);
    }
  }

  /// Of the file that is being sent; returns how much, as read(2) does.
  ssize_t read_piece(std::size_t size) {
    piece_.resize(size);
    return response_.content.parts()[part_].file->read(piece_.data(), size, at_);
  }

  void write_piece(ssize_t size) {
    if (size <= 0) return connection_.abort();  // the file has become shorter or was closed
    advance(static_cast<std::size_t>(size));
    write({asio::buffer(piece_.data(), static_cast<std::size_t>(size))}, [this] { send_piece(); });
  }

  void send_file(const Part& part) {
    std::size_t turn = 0;
    while (left_ > 0 && turn < kTurnBytes) {
      std::size_t size = static_cast<std::size_t>(std::min<std::uint64_t>(left_, kPieceBytes));
      ssize_t sent = part.file->send(socket().native_handle(), at_, size);
      if (sent < 0 && errno == EINTR) continue;
      if (sent < 0 && errno == EAGAIN) return wait_to_write();
      // The file has become shorter or was closed, or the client has gone.
      if (sent <= 0) return connection_.abort();
      advance(static_cast<std::size_t>(sent));
      shared().sent_bytes += static_cast<std::uint64_t>(sent);
      turn += static_cast<std::size_t>(sent);
    }
    if (left_ == 0) return send_piece();
    asio::post(connection_.stream().get_executor(), [this, self = self()] { send_piece(); });
  }

  void wait_to_write() {
    timer_.expires_after(shared().limits.stalled);
    timer_.async_wait([this, self = self()](error_code error) {
      if (!error) connection_.abort();
    });
    socket().async_wait(asio::ip::tcp::socket::wait_write, [this, self = self()](error_code error) {
      timer_.cancel();
      error ? connection_.abort() : send_piece();
    });
  }

  void advance(std::size_t size) {
    at_ += size;
    left_ -= size;
  }

  // --- streams ---

  void pull() {
    connection_.watch();
    asio::post(connection_.workers(), [this, self = self()] {
      piece_.clear();
      bool more = false;
      bool is_sound = true;
      try {
        more = response_.stream->next(piece_, connection_.stop_token());
        if (!more) is_sound = take_trailers();
      } catch (const std::exception&) {
        is_sound = false;
      }
      asio::post(connection_.stream().get_executor(),
                 [this, self, more, is_sound] { is_sound ? push(more) : connection_.abort(); });
    });
  }

  /// False: there are trailers, and this client does not understand them.
  bool take_trailers() {
    trailers_.clear();
    for (const auto& [name, value] : response_.stream->trailers()) {
      trailers_ += name + ": " + value + "\r\n";
    }
    return is_chunked_ || trailers_.empty();
  }

  void push(bool more) {
    if (piece_.empty() && more) return pull();
    frame(more);
    if (piece_.empty() && frame_end_.empty()) return complete();
    timer_.expires_after(shared().limits.rest);
    timer_.async_wait([this, self = self(), round = round_](error_code error) {
      if (!error && round == round_ && !is_taken_) rest();
    });
    is_taken_ = false;
    Buffers chunk = {asio::buffer(frame_begin_), asio::buffer(piece_), asio::buffer(frame_end_)};
    write(chunk, [this, more] {
      std::string().swap(piece_);  // the next one may be long in coming
      is_taken_ = true;
      timer_.cancel();
      after_ = [this, more] { more ? pull() : complete(); };
      if (!is_resting_) go_on();
    });
  }

  /// Makes a chunk of the piece, if the body has chunks (RFC 9112, section 7.1).
  void frame(bool more) {
    frame_begin_.clear();
    frame_end_.clear();
    if (!is_chunked_) return;
    if (!piece_.empty()) {
      std::ostringstream size;
      size << std::hex << piece_.size() << "\r\n";
      frame_begin_ = size.str();
      frame_end_ = "\r\n";
    }
    if (!more) frame_end_ += "0\r\n" + trailers_ + "\r\n";
  }

  void rest() {
    is_resting_ = true;
    asio::post(connection_.workers(), [this, self = self()] {
      bool is_sound = true;
      try {
        response_.stream->rest();
      } catch (const std::exception&) {
        is_sound = false;
      }
      asio::post(connection_.stream().get_executor(), [this, self, is_sound] {
        is_resting_ = false;
        if (!is_sound) return connection_.abort();
        if (after_) go_on();
      });
    });
  }

  void go_on() { std::exchange(after_, nullptr)(); }

  Connection& connection_;
  asio::steady_timer timer_;
  unsigned round_ = 0;  ///< of the timer: an older one is over

  Response response_;
  Framing framing_;
  std::string head_;
  std::string piece_;
  std::string frame_begin_;  ///< around the piece: what makes it a chunk
  std::string frame_end_;
  std::string trailers_;  ///< lines, behind the last chunk
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
