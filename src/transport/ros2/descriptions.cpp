#include "transport/ros2/descriptions.h"

#include <cstring>
#include <random>

#include "kitbag/error.h"
#include "transport/ros2/names.h"
#include "transport/ros2/qos.h"
#include "transport/ros2/rpc.h"

// A service of ROS 2 is two topics of DDS, rq/NODE/get_type_descriptionRequest and rr/...Reply.
// Which reply belongs to which request is not a matter of DDS: rmw_cyclonedds puts the number of
// the client and of the request in front of the payload, other middlewares do it otherwise. Replies
// reach every client of the node, so the number of a client is random, and replies to others are
// passed over.
//
// A request that is sent before both topics are matched is lost, and nothing repeats it. So
// requests wait until the node is reachable in both directions. Nobody waits for an answer here:
// the subscriber asks again at each turn and gives up by itself (declarer.cpp).

namespace kitbag::ros2 {

namespace {

constexpr const char* kService = "/get_type_description";
constexpr const char* kType = "type_description_interfaces/srv/GetTypeDescription";
/// Of the service type_description_interfaces/srv/GetTypeDescription as a whole.
constexpr const char* kServiceHash =
    "RIHS01_69b9c19c1021405984cc60dbbb1edceb147a6538b411d812ba6afabeed962cd5";

Qos service_qos(std::uint64_t client_id) {
  rosbag2::QosProfile profile;
  profile.history = rosbag2::QosProfile::kKeepLast;
  profile.depth = kServiceDepth;
  Qos qos = writer_qos(profile);
  ServiceId id{};
  std::memcpy(id.data(), &client_id, sizeof client_id);
  set_user_data(qos.get(), service_user_data(kClientKey, id, kServiceHash));
  return qos;
}

}  // namespace

void Descriptions::ask(const std::string& node, const std::string& type, const std::string& hash) {
  if (!known_.emplace(type, hash).second) return;
  auto client = clients_.find(node);
  if (client == clients_.end()) client = clients_.emplace(node, make_client(node)).first;
  client->second.waiting.emplace_back(type, hash);
}

Descriptions::Client Descriptions::make_client(const std::string& node) {
  Client client;
  std::string service = node + kService;
  ServiceTopics topics = service_topics(service, kType);
  dds_entity_t participant = participant_.get();
  client.request_topic =
      RawTopic::make(participant, topics.request, topics.request_type, false, participant_.clock());
  client.reply_topic =
      RawTopic::make(participant, topics.reply, topics.response_type, false, participant_.clock());
  std::random_device random;  // other processes ask too, and hear what we are answered
  client.id = std::uint64_t{random()} << 32 | random();
  Qos qos = service_qos(client.id);
  client.writer =
      Entity(dds_create_writer(participant, client.request_topic.entity.get(), qos.get(), nullptr),
             "client of " + service);
  client.reader =
      Entity(dds_create_reader(participant, client.reply_topic.entity.get(), qos.get(), nullptr),
             "client of " + service);
  return client;
}

bool Descriptions::is_reachable(const Client& client) {
  return dds_get_matched_subscriptions(client.writer.get(), nullptr, 0) > 0 &&
         dds_get_matched_publications(client.reader.get(), nullptr, 0) > 0;
}

void Descriptions::send(Client& client, const Wanted& wanted) {
  auto request =
      description_request({client.id, ++client.last_sequence}, wanted.first, wanted.second);
  if (write_raw(client.writer.get(), client.request_topic, request) == DDS_RETCODE_OK) {
    client.asked[client.last_sequence] = wanted;
  }
}

void Descriptions::take_answers(Client& client) {
  take_raw(client.reader.get(), [&](const RawSamplePtr& sample, const dds_sample_info_t&) {
    try {
      auto reply = parse_description_reply(sample->data());
      auto asked = client.asked.find(reply.call.sequence);
      if (reply.call.client != client.id || asked == client.asked.end()) return;
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
    if (!client.waiting.empty() && is_reachable(client)) {
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
