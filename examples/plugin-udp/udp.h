#pragma once

#include <kitbag/session.h>
#include <kitbag/transport.h>

#include <map>
#include <memory>
#include <mutex>

#include "socket.h"

namespace udp {

/// Receives datagrams at an address, each of them a message of one channel.
std::unique_ptr<kitbag::Subscriber> subscribe(const kitbag::Location& location,
                                              const kitbag::Subscription& wanted,
                                              kitbag::Feed& feed, const kitbag::Session& session);

/// The sockets that publishers send from: one for all of them, or one for IPv4 and one for IPv6. A
/// receiver that identifies senders by address and port therefore sees the process as one sender.
/// Can be used from any thread.
class Senders {
 public:
  /// The socket of that address family; made where there is none. Throws kitbag::Error (io).
  std::shared_ptr<const File> socket_of(int family, const std::string& uri);

 private:
  std::mutex mutex_;
  std::map<int, std::weak_ptr<const File>> sockets_;
};

/// Sends the payload of each message as a datagram.
std::unique_ptr<kitbag::Publisher> publish(const kitbag::Location& location,
                                           const kitbag::Publication& how, Senders& senders);

}  // namespace udp
