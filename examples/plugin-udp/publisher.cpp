#include <poll.h>

#include <cerrno>
#include <set>

#include "udp.h"

namespace udp {

using namespace kitbag;

namespace {

/// How often a wait for space looks whether it is to end.
constexpr int kLookMs = 50;

class UdpPublisher final : public Publisher {
 public:
  UdpPublisher(Settings settings, Publication how, Senders& senders)
      : settings_(std::move(settings)),
        how_(std::move(how)),
        address_(resolve(settings_, Way::publish)),
        socket_(senders.socket_of(address_.family(), settings_.uri)) {}

  /// A UDP sender does not know its receivers.
  bool await_subscribers(const Wait&) override { return true; }

  void write(Batch&& batch) override {
    for (const Message& message : std::as_const(batch).messages()) {
      if (message.data.size() > settings_.max_bytes) {
        leave_out(message);
      } else {
        send(message.data);
      }
    }
  }

  void close() override {}

 private:
  void send(ByteView data) const {
    while (::sendto(socket_->get(), data.data(), data.size(), MSG_DONTWAIT, address_.get(),
                    address_.size) < 0) {
      if (errno == EINTR) continue;
      if (errno != EAGAIN && errno != ENOBUFS) throw system_error("cannot send to", settings_.uri);
      if (how_.stop.stop_requested()) {
        throw Error(ErrorCode::cancelled, "stopped while the network was busy", settings_.uri);
      }
      pollfd writable{socket_->get(), POLLOUT, 0};
      ::poll(&writable, 1, kLookMs);
    }
  }

  void leave_out(const Message& message) {
    const std::string& topic = message.channel->topic;
    if (!left_out_.insert(topic).second || !how_.on_warning) return;
    how_.on_warning(Error(ErrorCode::limit,
                          "messages larger than " + std::to_string(settings_.max_bytes) +
                              " bytes do not fit into a datagram; they are left out",
                          topic));
  }

  Settings settings_;
  Publication how_;
  Address address_;
  std::shared_ptr<const File> socket_;
  std::set<std::string> left_out_;  ///< topics that have been reported
};

}  // namespace

std::shared_ptr<const File> Senders::socket_of(int family, const std::string& uri) {
  std::lock_guard lock(mutex_);
  std::shared_ptr<const File> known = sockets_[family].lock();
  if (known) return known;
  auto made = std::make_shared<const File>(::socket(family, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (made->get() < 0) throw system_error("no socket", uri);
  int yes = 1;
  ::setsockopt(made->get(), SOL_SOCKET, SO_BROADCAST, &yes, sizeof(yes));
  sockets_[family] = made;
  return made;
}

std::unique_ptr<Publisher> publish(const Location& location, const Publication& how,
                                   Senders& senders) {
  return std::make_unique<UdpPublisher>(Settings::of(location, Way::publish), how, senders);
}

}  // namespace udp
