#include "transport/ros1/master.h"

#include <netdb.h>
#include <poll.h>
#include <ros/master.h>
#include <ros/this_node.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <memory>

namespace kitbag::ros1 {

namespace {

/// Whether a connection to `address` comes about.
bool answers(const addrinfo& address) {
  int file = ::socket(address.ai_family, address.ai_socktype | SOCK_NONBLOCK | SOCK_CLOEXEC,
                      address.ai_protocol);
  if (file < 0) return false;
  bool is_open = ::connect(file, address.ai_addr, address.ai_addrlen) == 0;
  if (!is_open && errno == EINPROGRESS) {
    pollfd waiting{file, POLLOUT, 0};
    int error = 0;
    socklen_t size = sizeof(error);
    is_open = ::poll(&waiting, 1, kMasterPatienceMs) == 1 &&
              ::getsockopt(file, SOL_SOCKET, SO_ERROR, &error, &size) == 0 && error == 0;
  }
  ::close(file);
  return is_open;
}

}  // namespace

bool is_master_reachable() {
  addrinfo wanted{};
  wanted.ai_family = AF_UNSPEC;
  wanted.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  std::string port = std::to_string(ros::master::getPort());
  if (::getaddrinfo(ros::master::getHost().c_str(), port.c_str(), &wanted, &found) != 0) {
    return false;
  }
  std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner(found, ::freeaddrinfo);
  for (const addrinfo* one = found; one; one = one->ai_next) {
    if (answers(*one)) return true;
  }
  return false;
}

std::optional<std::vector<std::pair<std::string, std::string>>> published_topics() {
  if (!is_master_reachable()) return std::nullopt;
  XmlRpc::XmlRpcValue request;
  XmlRpc::XmlRpcValue response;
  XmlRpc::XmlRpcValue found;
  request[0] = ros::this_node::getName();
  request[1] = "";
  if (!ros::master::execute("getPublishedTopics", request, response, found, false)) {
    return std::nullopt;
  }
  std::vector<std::pair<std::string, std::string>> topics;
  if (found.getType() != XmlRpc::XmlRpcValue::TypeArray) return topics;
  for (int i = 0; i < found.size(); ++i) {
    XmlRpc::XmlRpcValue& one = found[i];
    bool is_pair = one.getType() == XmlRpc::XmlRpcValue::TypeArray && one.size() == 2 &&
                   one[0].getType() == XmlRpc::XmlRpcValue::TypeString &&
                   one[1].getType() == XmlRpc::XmlRpcValue::TypeString;
    if (!is_pair) continue;
    topics.emplace_back(static_cast<std::string>(one[0]), static_cast<std::string>(one[1]));
  }
  return topics;
}

}  // namespace kitbag::ros1
