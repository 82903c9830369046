#include "transport/ros2/descriptions.h"

#include <utility>

#include "kitbag/error.h"

// A service of ROS 2 is two topics of DDS (rpc.cpp). Replies reach every client of a node, so those
// to others are passed over.
//
// A request that is sent before both topics are matched is lost, and nothing repeats it. So
// requests wait until the node is reachable in both directions. Nobody waits for an answer here:
// the subscriber asks again at each turn and gives up by itself (declarer.cpp).

namespace kitbag::ros2 {

namespace {

constexpr const char* kService = "/get_type_description";
constexpr const char* kServiceType = "type_description_interfaces/srv/GetTypeDescription";
/// Of the service type_description_interfaces/srv/GetTypeDescription as a whole.
constexpr const char* kServiceHash =
    "RIHS01_69b9c19c1021405984cc60dbbb1edceb147a6538b411d812ba6afabeed962cd5";

}  // namespace

void Descriptions::ask(const std::string& node, const std::string& type, const std::string& hash) {
  if (!known_.emplace(type, hash).second) return;
  auto client = clients_.find(node);
  if (client == clients_.end()) {
    ServiceClient service(participant_, node + kService, kServiceType, kServiceHash);
    client = clients_.emplace(node, Client{std::move(service)}).first;
  }
  client->second.waiting.emplace_back(type, hash);
}

void Descriptions::send(Client& client, const Wanted& wanted) {
  Call call = client.service.next_call();
  if (client.service.send(description_request(call, wanted.first, wanted.second)) ==
      DDS_RETCODE_OK) {
    client.asked[call.sequence] = wanted;
  }
}

void Descriptions::take_answers(Client& client) {
  take_raw(client.service.reader().get(), [&](const RawSamplePtr& sample,
                                              const dds_sample_info_t&) {
    try {
      auto reply = parse_description_reply(sample->data());
      auto asked = client.asked.find(reply.call.sequence);
      if (reply.call.client != client.service.id() || asked == client.asked.end()) return;
      Wanted wanted = asked->second;
      client.asked.erase(asked);
      SchemaPtr& answer = answers_[wanted];
      answer =
          std::make_shared<const Schema>(schema_of(wanted.first, wanted.second, reply, session_));
    } catch (const Error&) {
      // No definition; the files that the user has are looked through next.
    }
  });
}

void Descriptions::work() {
  for (auto& [node, client] : clients_) {
    bool is_there =
        !client.waiting.empty() && client.service.server() != ServiceClient::Server::none;
    if (is_there) {
      for (const Wanted& wanted : client.waiting) send(client, wanted);
      client.waiting.clear();
    }
    if (!client.asked.empty()) take_answers(client);
  }
}

SchemaPtr Descriptions::find(const std::string& type, const std::string& hash) const {
  auto answer = answers_.find({type, hash});
  return answer == answers_.end() ? nullptr : answer->second;
}

bool Descriptions::is_answered(const std::string& type, const std::string& hash) const {
  return answers_.contains({type, hash});
}

}  // namespace kitbag::ros2
