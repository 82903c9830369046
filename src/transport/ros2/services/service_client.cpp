#include "transport/ros2/services/service_client.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "transport/ros2/names.h"
#include "transport/ros2/qos.h"

// A request that is sent before both topics are matched is lost, and nothing repeats it, so there
// is a server only when both are. Servers on rmw_cyclonedds look for the two endpoints of a client
// by the clientid in their USER_DATA before they answer.
//
// The writer keeps all requests until the server has them, also when they are sent at once. Nodes
// keep the last ten, which no server can tell.

namespace kitbag::ros2 {

namespace {

constexpr std::array<std::byte, 2> kFastDds = {std::byte{0x01}, std::byte{0x0f}};
constexpr std::size_t kMostServers = 16;

Qos client_qos(const std::string& user_data, bool keeps_all) {
  rosbag2::QosProfile profile;
  profile.history = keeps_all ? rosbag2::QosProfile::kKeepAll : rosbag2::QosProfile::kKeepLast;
  profile.depth = kServiceDepth;
  Qos qos = writer_qos(profile);
  set_user_data(qos.get(), user_data);
  return qos;
}

ServiceClient::Server server_of(const Guid& endpoint) {
  if (is_cyclone(endpoint)) return ServiceClient::Server::cyclone;
  bool is_fast = std::equal(kFastDds.begin(), kFastDds.end(), endpoint.begin());
  return is_fast ? ServiceClient::Server::fast : ServiceClient::Server::unknown;
}

}  // namespace

ServiceClient::ServiceClient(const Participant& participant, const std::string& name,
                             const std::string& type, const std::string& type_hash) {
  ServiceTopics topics = service_topics(name, type);
  dds_entity_t in = participant.get();
  request_topic_ =
      RawTopic::make(in, topics.request, topics.request_type, false, participant.clock());
  reply_topic_ = RawTopic::make(in, topics.reply, topics.response_type, false, participant.clock());
  ServiceId id = make_service_id();  // random: other processes ask too, and hear all replies
  std::memcpy(&id_, id.data(), sizeof id_);
  std::string user_data = service_user_data(kClientKey, id, type_hash);
  std::string what = "client of " + name;
  writer_ = Entity(dds_create_writer(in, request_topic_.entity.get(),
                                     client_qos(user_data, true).get(), nullptr),
                   what);
  reader_ = Entity(
      dds_create_reader(in, reply_topic_.entity.get(), client_qos(user_data, false).get(), nullptr),
      what);
}

ServiceClient::Server ServiceClient::server() const {
  if (dds_get_matched_publications(reader_.get(), nullptr, 0) <= 0) return Server::none;
  std::array<dds_instance_handle_t, kMostServers> matched{};
  dds_return_t count = dds_get_matched_subscriptions(writer_.get(), matched.data(), matched.size());
  for (std::size_t i = 0; i < matched.size() && static_cast<dds_return_t>(i) < count; ++i) {
    auto* endpoint = dds_get_matched_subscription_data(writer_.get(), matched[i]);
    if (!endpoint) continue;  // it has just gone
    Guid guid = guid_of(endpoint->key);
    dds_builtintopic_free_endpoint(endpoint);
    return server_of(guid);
  }
  return Server::none;
}

dds_return_t ServiceClient::send(ByteView payload) const {
  return write_raw(writer_.get(), request_topic_, payload);
}

}  // namespace kitbag::ros2
