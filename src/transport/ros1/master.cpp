#include "transport/ros1/master.h"

#include <ros/master.h>
#include <ros/this_node.h>
#include <xmlrpcpp/XmlRpcClient.h>

// Questions are asked with a client of our own, step by step: executeNonBlock() begins, work()
// waits for a slice of time, so that a stop or the end of patience can end it. roscpp's own calls
// wait in a loop until the master answers.
//
// Unregistering cannot be done that way, because roscpp does it in the destructors of its handles.
// If the master does not answer, its address is changed to a port where connections are refused at
// once: the destructors fail fast, and the address is restored. While it is changed nobody else in
// the process may talk to the master, which is what the mutex is for.

namespace ros::master {

/// Changes the address of the master. libroscpp exports it, and no header of it has it.
void init(const M_string& remappings);

}  // namespace ros::master

namespace kitbag::ros1 {

namespace {

/// Where connections are refused at once.
constexpr const char* kNobody = "http://127.0.0.1:0";

std::mutex& master_mutex() {
  static std::mutex mutex;
  return mutex;
}

/// What the master answers; nothing where it is gone, does not answer in time, or refuses.
std::optional<XmlRpc::XmlRpcValue> ask(const char* method, const XmlRpc::XmlRpcValue& request,
                                       int patience_ms, const std::atomic<bool>& is_stopped) {
  std::string host;
  std::uint32_t port = 0;
  {
    auto lock = hold_master();
    host = ros::master::getHost();
    port = ros::master::getPort();
  }
  XmlRpc::XmlRpcClient client(host.c_str(), static_cast<int>(port), "/");
  if (!client.executeNonBlock(method, request)) return std::nullopt;
  constexpr int kSliceMs = 50;  // a signal ends one
  for (int ms = 0; ms < patience_ms && !client._disp._sources.empty(); ms += kSliceMs) {
    if (is_stopped) return std::nullopt;
    client._disp.work(kSliceMs / 1000.0);
  }
  XmlRpc::XmlRpcValue response;  // a code, 1 for success; a text; the answer
  bool is_answered = client.executeCheckDone(response) && !client.isFault() &&
                     response.getType() == XmlRpc::XmlRpcValue::TypeArray && response.size() == 3 &&
                     response[0].getType() == XmlRpc::XmlRpcValue::TypeInt &&
                     static_cast<int>(response[0]) == 1;
  if (!is_answered) return std::nullopt;
  return response[2];
}

bool answers(int patience_ms) {
  XmlRpc::XmlRpcValue request;
  request[0] = ros::this_node::getName();
  return ask("getPid", request, patience_ms, false).has_value();
}

}  // namespace

bool has_master() {
  return answers(kMasterPatienceMs);
}

std::optional<std::vector<std::pair<std::string, std::string>>> published_topics(
    const std::atomic<bool>& is_stopped) {
  XmlRpc::XmlRpcValue request;
  request[0] = ros::this_node::getName();
  request[1] = "";
  auto found = ask("getPublishedTopics", request, kMasterPatienceMs, is_stopped);
  if (!found) return std::nullopt;
  std::vector<std::pair<std::string, std::string>> topics;
  if (found->getType() != XmlRpc::XmlRpcValue::TypeArray) return topics;
  for (int i = 0; i < found->size(); ++i) {
    XmlRpc::XmlRpcValue& one = (*found)[i];
    bool is_pair = one.getType() == XmlRpc::XmlRpcValue::TypeArray && one.size() == 2 &&
                   one[0].getType() == XmlRpc::XmlRpcValue::TypeString &&
                   one[1].getType() == XmlRpc::XmlRpcValue::TypeString;
    if (!is_pair) continue;
    topics.emplace_back(static_cast<std::string>(one[0]), static_cast<std::string>(one[1]));
  }
  return topics;
}

std::unique_lock<std::mutex> hold_master() {
  return std::unique_lock(master_mutex());
}

void leave_master(const std::function<void()>& leave) {
  bool is_there = answers(kLeavingPatienceMs);
  auto lock = hold_master();
  std::string master = ros::master::getURI();
  if (!is_there) ros::master::init({{"__master", kNobody}});
  leave();
  if (!is_there) ros::master::init({{"__master", master}});
}

}  // namespace kitbag::ros1
