// Stands for a node of ROS 2 on rmw_cyclonedds, and for an application of plain DDS: with types
// that Cyclone's own compiler made from ros2_types.idl, and so an independent reader of what kitbag
// sends.
//
//   ros2_node node NAME TOPIC TYPE_HASH   the node NAME, "/robot/driver", sends strings on TOPIC
//                                         and gives their definition; tells of other nodes:
//                                         "node GID NAMESPACE NAME READERS WRITERS", and of
//                                         requests: "asked TYPE HASH"
//   ros2_node plain                       sends plant::State on the topic "state"
//   ros2_node load COUNT HZ BYTES TOPICS  COUNT messages on the topics /load0, /load1, ... in turn,
//                                         reliable, when each has a subscriber; then "sent COUNT"
//
// It ends when standard input does. Domain: ROS_DOMAIN_ID.

#include <dds/dds.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

#include <ros2_types.h>  // by idlc

namespace {

std::atomic<bool> is_over = false;

dds_qos_t* quality(dds_durability_kind_t durability, const std::string& user_data = {}) {
  dds_qos_t* qos = dds_create_qos();
  dds_qset_reliability(qos, DDS_RELIABILITY_RELIABLE, DDS_SECS(1));
  dds_qset_durability(qos, durability);
  dds_qset_history(qos, DDS_HISTORY_KEEP_LAST, 10);
  dds_qset_userdata(qos, user_data.data(), user_data.size());
  dds_data_representation_id_t plain = DDS_DATA_REPRESENTATION_XCDR1;
  dds_qset_data_representation(qos, 1, &plain);
  return qos;
}

dds_entity_t topic_of(dds_entity_t participant, const dds_topic_descriptor_t& type,
                      const std::string& name) {
  return dds_create_topic(participant, &type, name.c_str(), nullptr, nullptr);
}

/// C structures hold what they do not change as char*.
char* c_text(const std::string& text) {
  return const_cast<char*>(text.c_str());
}

class Node {
 public:
  Node(const std::string& name, const std::string& topic, const std::string& hash)
      : participant_(dds_create_participant(DDS_DOMAIN_DEFAULT, nullptr, nullptr)),
        strings_(dds_create_writer(
            participant_, topic_of(participant_, std_msgs_msg_dds__String__desc, "rt" + topic),
            quality(DDS_DURABILITY_VOLATILE, "typehash=" + hash + ";"), nullptr)) {
    serve(name + "/get_type_description");
    announce(name);
  }

  void run() {
    for (int i = 0; !is_over; ++i) {
      std::string text = "driver " + std::to_string(i);
      std_msgs_msg_dds__String_ message{c_text(text)};
      dds_write(strings_, &message);
      listen();
      answer();
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  }

 private:
  void serve(const std::string& service) {
    dds_qos_t* qos = quality(DDS_DURABILITY_VOLATILE);
    requests_ = dds_create_reader(
        participant_,
        topic_of(participant_,
                 type_description_interfaces_srv_dds__GetTypeDescription_Request__desc,
                 "rq" + service + "Request"),
        qos, nullptr);
    replies_ = dds_create_writer(
        participant_,
        topic_of(participant_,
                 type_description_interfaces_srv_dds__GetTypeDescription_Response__desc,
                 "rr" + service + "Reply"),
        qos, nullptr);
  }

  void announce(const std::string& name) {
    dds_entity_t topic = topic_of(
        participant_, rmw_dds_common_msg_dds__ParticipantEntitiesInfo__desc, "ros_discovery_info");
    dds_qos_t* qos = quality(DDS_DURABILITY_TRANSIENT_LOCAL);
    graph_ = dds_create_reader(participant_, topic, qos, nullptr);
    dds_entity_t writer = dds_create_writer(participant_, topic, qos, nullptr);
    rmw_dds_common_msg_dds__Gid_ gid = gid_of(strings_);
    std::size_t slash = name.rfind('/');
    std::string space = slash == 0 ? "/" : name.substr(0, slash);
    std::string own = name.substr(slash + 1);
    rmw_dds_common_msg_dds__NodeEntitiesInfo_ node{};
    node.node_namespace_ = c_text(space);
    node.node_name_ = c_text(own);
    node.writer_gid_seq_._length = 1;
    node.writer_gid_seq_._buffer = &gid;
    rmw_dds_common_msg_dds__ParticipantEntitiesInfo_ info{};
    info.gid_ = gid_of(participant_);
    info.node_entities_info_seq_._length = 1;
    info.node_entities_info_seq_._buffer = &node;
    dds_write(writer, &info);
  }

  static rmw_dds_common_msg_dds__Gid_ gid_of(dds_entity_t entity) {
    dds_guid_t guid{};
    dds_get_guid(entity, &guid);
    rmw_dds_common_msg_dds__Gid_ gid{};
    std::memcpy(gid.data_, guid.v, sizeof gid.data_);
    return gid;
  }

  void listen() {
    void* sample = nullptr;
    dds_sample_info_t about;
    while (dds_take(graph_, &sample, &about, 1, 1) > 0) {
      const auto& info = *static_cast<rmw_dds_common_msg_dds__ParticipantEntitiesInfo_*>(sample);
      for (std::uint32_t i = 0; about.valid_data && i < info.node_entities_info_seq_._length; ++i) {
        const auto& node = info.node_entities_info_seq_._buffer[i];
        std::printf("node ");
        for (unsigned byte : info.gid_.data_) std::printf("%02x", byte);
        std::printf(" %s %s %u %u\n", node.node_namespace_, node.node_name_,
                    node.reader_gid_seq_._length, node.writer_gid_seq_._length);
      }
      std::fflush(stdout);
      dds_return_loan(graph_, &sample, 1);
    }
  }

  void answer() {
    void* sample = nullptr;
    dds_sample_info_t about;
    while (dds_take(requests_, &sample, &about, 1, 1) > 0) {
      if (about.valid_data) {
        answer(*static_cast<type_description_interfaces_srv_dds__GetTypeDescription_Request_*>(
            sample));
      }
      dds_return_loan(requests_, &sample, 1);
    }
  }

  void answer(
      const type_description_interfaces_srv_dds__GetTypeDescription_Request_& request) const {
    std::printf("asked %s %s %d\n", request.type_name_, request.type_hash_,
                request.include_type_sources_ ? 1 : 0);
    std::fflush(stdout);
    std::string name = "std_msgs/msg/String";
    std::string field_name = "data";
    std::string none;
    std::string encoding = "msg";
    std::string text = "# as the driver has it\nstring data\n";
    type_description_interfaces_srv_dds__Field_ field{};
    field.name_ = c_text(field_name);
    field.type_.type_id_ = 17;  // a string
    field.type_.nested_type_name_ = c_text(none);
    field.default_value_ = c_text(none);
    type_description_interfaces_srv_dds__TypeSource_ source{c_text(name), c_text(encoding),
                                                            c_text(text)};
    type_description_interfaces_srv_dds__GetTypeDescription_Response_ reply{};
    reply.client_ = request.client_;
    reply.sequence_ = request.sequence_;
    reply.successful_ = true;
    reply.failure_reason_ = c_text(none);
    reply.type_description_.type_name_ = c_text(name);
    reply.type_description_.fields_._length = 1;
    reply.type_description_.fields_._buffer = &field;
    reply.type_sources_._length = 1;
    reply.type_sources_._buffer = &source;
    dds_write(replies_, &reply);
  }

  dds_entity_t participant_;
  dds_entity_t strings_;
  dds_entity_t graph_ = 0;
  dds_entity_t requests_ = 0;
  dds_entity_t replies_ = 0;
};

void run_plain() {
  dds_entity_t participant = dds_create_participant(DDS_DOMAIN_DEFAULT, nullptr, nullptr);
  dds_qos_t* qos = dds_create_qos();
  dds_qset_reliability(qos, DDS_RELIABILITY_RELIABLE, DDS_SECS(1));
  dds_entity_t writer = dds_create_writer(
      participant, topic_of(participant, plant_State_desc, "state"), qos, nullptr);
  for (int i = 0; !is_over; ++i) {
    std::string reason = "too hot";
    plant_Reading reading{"bar", {1.5, 2.5, static_cast<double>(i)}};
    plant_State state{};
    state.id = i % 3;
    state.mode = i % 2 == 0 ? plant_ON : plant_FAULT;
    state.readings._length = 1;
    state.readings._buffer = &reading;
    state.value._d = state.mode;
    if (state.mode == plant_ON) {
      state.value._u.level = 0.25;
    } else {
      state.value._u.reason = c_text(reason);
    }
    std::fill_n(state.raw, sizeof state.raw, static_cast<std::uint8_t>(i % 256));
    state.is_good = true;
    dds_write(writer, &state);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

void run_load(long count, double hz, std::uint32_t bytes, int topics) {
  dds_entity_t participant = dds_create_participant(DDS_DOMAIN_DEFAULT, nullptr, nullptr);
  dds_qos_t* qos = quality(DDS_DURABILITY_VOLATILE);
  // Who sends waits for who is behind; a loss is then the recorder's.
  dds_qset_history(qos, DDS_HISTORY_KEEP_ALL, DDS_LENGTH_UNLIMITED);
  dds_qset_reliability(qos, DDS_RELIABILITY_RELIABLE, DDS_SECS(10));
  std::vector<dds_entity_t> writers;
  for (int i = 0; i < topics; ++i) {
    writers.push_back(
        dds_create_writer(participant,
                          topic_of(participant, std_msgs_msg_dds__UInt8MultiArray__desc,
                                   "rt/load" + std::to_string(i)),
                          qos, nullptr));
  }
  for (dds_entity_t writer : writers) {
    while (!is_over && dds_get_matched_subscriptions(writer, nullptr, 0) < 1) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(500));  // the other side may be behind
  std::vector<std::uint8_t> data(bytes - 8, 7);
  std_msgs_msg_dds__UInt8MultiArray_ message{};
  message.data_._length = static_cast<std::uint32_t>(data.size());
  message.data_._buffer = data.data();
  auto start = std::chrono::steady_clock::now();
  for (long i = 0; i < count && !is_over; ++i) {
    std::chrono::duration<double> when(static_cast<double>(i) / hz);
    // Every hundredth alone is waited for: sleeping costs more than sending.
    if (i % (hz > 1000 ? 100 : 1) == 0) {
      std::this_thread::sleep_until(start +
                                    std::chrono::duration_cast<std::chrono::nanoseconds>(when));
    }
    dds_write(writers[static_cast<std::size_t>(i % topics)], &message);
  }
  for (dds_entity_t writer : writers) dds_wait_for_acks(writer, DDS_SECS(10));
  std::printf("sent %ld\n", count);
  std::fflush(stdout);
}

}  // namespace

int main(int count, char** words) {
  std::string mode = count > 1 ? words[1] : "";
  std::thread input([] {
    for (std::string line; std::getline(std::cin, line);) {
    }
    is_over = true;
  });
  if (mode == "plain") run_plain();
  if (mode == "load" && count == 6) {
    run_load(std::stol(words[2]), std::stod(words[3]),
             static_cast<std::uint32_t>(std::stoul(words[4])), std::stoi(words[5]));
  }
  if (mode == "node" && count == 5) Node(words[2], words[3], words[4]).run();
  input.join();
  return 0;
}
