#include "transport/ros1/master.h"

#include <ros/master.h>
#include <ros/this_node.h>
#include <ros/xmlrpc_manager.h>
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

struct Place {
  std::string host;
  std::uint32_t port = 0;
};

/// What a node answers; nothing where it is gone, does not answer in time, or refuses.
std::optional<XmlRpc::XmlRpcValue> ask_at(const Place& place, const char* method,
                                          const XmlRpc::XmlRpcValue& request, int patience_ms,
                                          const std::atomic<bool>& is_stopped) {
  XmlRpc::XmlRpcClient client(place.host.c_str(), static_cast<int>(place.port), "/");
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

/// What the master answers.
std::optional<XmlRpc::XmlRpcValue> ask(const char* method, const XmlRpc::XmlRpcValue& request,
                                       int patience_ms, const std::atomic<bool>& is_stopped) {
  Place place;
  {
    auto lock = hold_master();
    place = {ros::master::getHost(), ros::master::getPort()};
  }
  return ask_at(place, method, request, patience_ms, is_stopped);
}

bool answers(int patience_ms) {
  XmlRpc::XmlRpcValue request;
  request[0] = ros::this_node::getName();
  return ask("getPid", request, patience_ms, false).has_value();
}

using XmlRpc::XmlRpcValue;

bool is_text(XmlRpcValue& value) {
  return value.getType() == XmlRpcValue::TypeString;
}

/// A list of that many values, as the master's answers have them in each other.
bool is_list(XmlRpcValue& value, int size) {
  return value.getType() == XmlRpcValue::TypeArray && value.size() == size;
}

int size_of(XmlRpcValue& value) {
  return value.getType() == XmlRpcValue::TypeArray ? value.size() : 0;
}

/// The pairs of a list of pairs of texts.
std::vector<std::pair<std::string, std::string>> text_pairs(XmlRpcValue& list) {
  std::vector<std::pair<std::string, std::string>> pairs;
  for (int i = 0; i < size_of(list); ++i) {
    XmlRpcValue& one = list[i];
    if (!is_list(one, 2) || !is_text(one[0]) || !is_text(one[1])) continue;
    pairs.emplace_back(static_cast<std::string>(one[0]), static_cast<std::string>(one[1]));
  }
  return pairs;
}

/// The nodes of a list of topics, each with its nodes.
std::map<std::string, std::vector<std::string>> nodes_by_topic(XmlRpcValue& list) {
  std::map<std::string, std::vector<std::string>> all;
  for (int i = 0; i < size_of(list); ++i) {
    XmlRpcValue& one = list[i];
    if (!is_list(one, 2) || !is_text(one[0])) continue;
    std::vector<std::string>& nodes = all[static_cast<std::string>(one[0])];
    for (int node = 0; node < size_of(one[1]); ++node) {
      if (is_text(one[1][node])) nodes.push_back(static_cast<std::string>(one[1][node]));
    }
  }
  return all;
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
  return text_pairs(*found);
}

std::optional<SystemState> system_state(const std::atomic<bool>& is_stopped) {
  XmlRpc::XmlRpcValue request;
  request[0] = ros::this_node::getName();
  auto nodes = ask("getSystemState", request, kMasterPatienceMs, is_stopped);
  if (!nodes) return std::nullopt;
  auto types = ask("getTopicTypes", request, kMasterPatienceMs, is_stopped);
  if (!types) return std::nullopt;
  SystemState state;
  constexpr int kLists = 3;  // publishers, subscribers, services
  if (!is_list(*nodes, kLists)) return state;
  state.publishers = nodes_by_topic((*nodes)[0]);
  state.subscribers = nodes_by_topic((*nodes)[1]);
  for (auto& [topic, type] : text_pairs(*types)) state.types[topic] = std::move(type);
  return state;
}

// roscpp's count of connections also has those that were refused, while it tries them again. The
// node's answer to getBusInfo says of each on which socket it is; -1: on none.
std::optional<std::map<std::string, std::size_t>> connections_by_topic(
    const std::atomic<bool>& is_stopped) {
  XmlRpc::XmlRpcValue request;
  request[0] = ros::this_node::getName();
  Place here{"127.0.0.1", ros::XMLRPCManager::instance()->getServerPort()};
  auto connections = ask_at(here, "getBusInfo", request, kMasterPatienceMs, is_stopped);
  if (!connections) return std::nullopt;
  // The number of the connection, the other node, the direction, the transport, the topic, whether
  // it is connected, which is always true, and more words.
  constexpr int kFields = 7;
  std::map<std::string, std::size_t> counts;
  for (int i = 0; i < size_of(*connections); ++i) {
    XmlRpcValue& one = (*connections)[i];
    if (!is_list(one, kFields) || !is_text(one[2]) || !is_text(one[4]) || !is_text(one[6]))
      continue;
    bool is_incoming = static_cast<std::string>(one[2]) == "i";
    bool is_open = static_cast<std::string>(one[6]).find("socket -1]") == std::string::npos;
    if (is_incoming && is_open) ++counts[static_cast<std::string>(one[4])];
  }
  return counts;
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
