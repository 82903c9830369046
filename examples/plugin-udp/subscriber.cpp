#include <kitbag/selector.h>
#include <poll.h>
#include <sys/eventfd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <thread>
#include <vector>

#include "udp.h"

namespace udp {

using namespace kitbag;

namespace {

/// Requested from the system, which may give less (net.core.rmem_max). It drops what does not fit,
/// and counts the dropped datagrams.
constexpr int kReceiveBytes = 8 << 20;
/// More datagrams than the system holds for us: a bound on what is taken after a stop, since
/// senders go on sending.
constexpr int kMostWaiting = 1 << 16;

class UdpSubscriber final : public Subscriber {
 public:
  UdpSubscriber(Settings settings, const Subscription& wanted, Feed& feed, const Session& session)
      : settings_(std::move(settings)),
        on_warning_(wanted.on_warning),
        feed_(feed),
        session_(session),
        address_(resolve(settings_, Way::listen)),
        socket_(::socket(address_.family(), SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)),
        wake_(::eventfd(0, EFD_CLOEXEC)),
        buffer_(settings_.max_bytes) {
    if (socket_.get() < 0 || wake_.get() < 0) throw system_error("no socket", settings_.uri);
    set(SO_RCVBUF, kReceiveBytes);
    set(SO_RXQ_OVFL, 1);
    if (::bind(socket_.get(), address_.get(), address_.size) != 0) {
      throw system_error("cannot listen there", settings_.uri);
    }
    if (Selector(wanted.select).matches(settings_.topic, "")) {
      channel_ = feed_.add({.topic = settings_.topic, .encoding = settings_.encoding});
    }
    thread_ = std::thread([this] { run(); });
  }
  ~UdpSubscriber() override {
    stop();
    thread_.join();
  }

  void stop() override {
    is_stopped_ = true;
    ::eventfd_write(wake_.get(), 1);
  }

 private:
  void set(int option, int value) const {
    ::setsockopt(socket_.get(), SOL_SOCKET, option, &value, sizeof(value));
  }

  void run() {
    try {
      while (!is_stopped_) {
        pollfd files[] = {{socket_.get(), POLLIN, 0}, {wake_.get(), POLLIN, 0}};
        ::poll(files, 2, -1);
        while (!is_stopped_ && take()) {
        }
      }
      for (int taken = 0; taken < kMostWaiting && take(); ++taken) {
      }
      feed_.close();
    } catch (...) {
      feed_.fail(std::current_exception());
    }
  }

  /// Takes one datagram. False: none is there.
  bool take() {
    iovec place{buffer_.data(), buffer_.size()};
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(std::uint32_t))];
    msghdr header{};
    header.msg_iov = &place;
    header.msg_iovlen = 1;
    header.msg_control = control;
    header.msg_controllen = sizeof(control);
    ssize_t size = ::recvmsg(socket_.get(), &header, MSG_TRUNC);  // the size that it was sent with
    if (size < 0) {
      if (errno == EAGAIN || errno == EINTR) return errno == EINTR;
      throw system_error("cannot be received from", settings_.uri);
    }
    if (!channel_) return true;
    count_dropped(header);
    auto bytes = static_cast<std::size_t>(size);
    if (bytes > buffer_.size()) {
      leave_out(bytes);
      return true;
    }
    Time now = session_.clock()->wall();
    feed_.push({channel_.get(), ++sequence_, 0, now, now, ByteView(buffer_).first(bytes)});
    return true;
  }

  /// The system says with each datagram how many it has dropped before, all together.
  void count_dropped(msghdr& header) {
    for (cmsghdr* one = CMSG_FIRSTHDR(&header); one; one = CMSG_NXTHDR(&header, one)) {
      if (one->cmsg_level != SOL_SOCKET || one->cmsg_type != SO_RXQ_OVFL) continue;
      std::uint32_t dropped = 0;
      std::memcpy(&dropped, CMSG_DATA(one), sizeof(dropped));
      if (dropped != dropped_) feed_.count_lost(*channel_, dropped - dropped_);
      dropped_ = dropped;
    }
  }

  void leave_out(std::size_t bytes) {
    feed_.count_lost(*channel_, 1);
    if (has_warned_ || !on_warning_) return;
    has_warned_ = true;
    on_warning_(Error(ErrorCode::limit,
                      "a datagram of " + std::to_string(bytes) +
                          " bytes is larger than max_bytes=" + std::to_string(buffer_.size()) +
                          "; such datagrams are left out and counted as lost",
                      settings_.uri));
  }

  Settings settings_;
  OnWarning on_warning_;
  Feed& feed_;
  Session session_;
  Address address_;
  File socket_;
  File wake_;
  std::vector<std::byte> buffer_;
  ChannelPtr channel_;  ///< null: not wanted; what comes is thrown away
  std::uint32_t sequence_ = 0;
  std::uint32_t dropped_ = 0;  ///< by the system, since the socket was opened
  bool has_warned_ = false;
  std::atomic<bool> is_stopped_ = false;
  std::thread thread_;
};

}  // namespace

std::unique_ptr<Subscriber> subscribe(const Location& location, const Subscription& wanted,
                                      Feed& feed, const Session& session) {
  return std::make_unique<UdpSubscriber>(Settings::of(location, Way::listen), wanted, feed,
                                         session);
}

}  // namespace udp
