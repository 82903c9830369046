#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "kitbag/control.h"
#include "kitbag/error.h"
#include "live/control/control_session.h"
#include "live/control/local_socket.h"

// Nothing here waits without an end: sockets do not block, and each wait is a poll() of 50 ms,
// after which the deadline and a stop request are looked at. That the listener's queue is full
// (EAGAIN of connect) is not the same as that nobody listens: the first is tried again, the second
// is an error.

namespace kitbag {
namespace {

/// How often a stop request is looked for.
constexpr int kLookMs = 50;

/// One command on its way, and its answer.
class Exchange {
 public:
  Exchange(const std::string& path, Clock& clock, const Wait& wait)
      : path_(path), clock_(clock), wait_(wait) {}

  std::string run(const std::string& command) {
    connect();
    send(command + "\n");
    return receive();
  }

 private:
  void connect() {
    while (true) {
      auto socket = connect_to(path_);
      if (!socket) {
        throw Error(ErrorCode::not_found, "no recorder or player is listening on this socket",
                    path_);
      }
      socket_ = std::move(*socket);
      if (socket_) return;
      require_time("accepts no further connections");
      ::poll(nullptr, 0, kLookMs);
    }
  }

  void send(std::string_view text) {
    while (!text.empty()) {
      await(POLLOUT);
      ssize_t count = ::send(socket_.get(), text.data(), text.size(), MSG_NOSIGNAL);
      if (count >= 0) {
        text.remove_prefix(static_cast<std::size_t>(count));
      } else if (errno != EINTR && errno != EAGAIN) {
        throw system_error("send the command", errno, path_);
      }
    }
  }

  std::string receive() {
    std::string answer;
    while (true) {
      await(POLLIN);
      char bytes[4096];
      ssize_t count = ::recv(socket_.get(), bytes, sizeof bytes, 0);
      if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
      if (count <= 0) {
        throw Error(ErrorCode::io, "the connection was closed without an answer", path_);
      }
      std::string_view piece(bytes, static_cast<std::size_t>(count));
      std::size_t end = piece.find('\n');
      answer += piece.substr(0, end);
      if (end != std::string_view::npos) return answer;
      if (answer.size() > ControlSession::kMostAnswerBytes) {
        throw Error(ErrorCode::limit, "the answer is longer than 16 MiB", path_);
      }
    }
  }

  void await(short events) const {
    for (int ready = 0; ready <= 0;) {
      require_time("does not answer");
      pollfd polled{socket_.get(), events, 0};
      ready = ::poll(&polled, 1, kLookMs);
    }
  }

  void require_time(const char* otherwise) const {
    if (wait_.stop.stop_requested()) throw Error(ErrorCode::cancelled, "interrupted");
    if (clock_.steady() >= wait_.until) {
      throw Error(ErrorCode::io, std::string("the recorder or player ") + otherwise, path_);
    }
  }

  const std::string& path_;
  Clock& clock_;
  const Wait& wait_;
  Descriptor socket_;
};

}  // namespace

std::string send_control(const std::string& path, const std::string& command, Clock& clock,
                         const Wait& wait) {
  return Exchange(path, clock, wait).run(command);
}

}  // namespace kitbag
