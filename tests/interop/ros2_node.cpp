// Stands for a node of ROS 2 on rmw_cyclonedds, and for an application of plain DDS: with types
// that Cyclone's own compiler made from ros2_types.idl, and so an independent reader of what kitbag
// sends.
//
//   ros2_node node NAME TOPIC TYPE_HASH   the node NAME, "/robot/driver", sends strings on TOPIC
//                                         and gives their definition; tells of other nodes:
//                                         "node GID NAMESPACE NAME READERS WRITERS", and of
//                                         requests: "asked TYPE HASH"
//   ros2_node events NAME TOPIC TYPE_HASH the same with events of the service std_srvs/srv/SetBool,
//                                         which no file defines
//   ros2_node serve SERVICE               serves example_interfaces/srv/AddTwoInts: "serving"; then
//                                         for each request "request CLIENT NUMBER A B CLIENTS",
//                                         with how many there are to take the response
//   ros2_node disposing                   sends plant::State, and disposes of it every other time
//   ros2_node endpoints                   tells of endpoints of others: "endpoint reader|writer
//                                         TOPIC USER_DATA", each when it comes or changes
//   ros2_node send TOPIC COUNT HZ QUALITY COUNT strings "0", "1", ... on TOPIC, when it has a
//                                         subscriber; then "sent COUNT". QUALITY: reliable,
//                                         best_effort. Tells "incompatible POLICY" of subscribers
//                                         that ask for more
//   ros2_node mixed SECONDS               10 topics /small0, ... with 100 bytes, at 40 kHz in all,
//                                         and 4 topics /large0, ... with 1 MB at 50 Hz each,
//                                         reliable, the last 10 kept; then "sent COUNT"
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
/// Of std_msgs/msg/String.
constexpr const char* kStringHash =
    "RIHS01_df668c740482bbd48fb39d76a70dfd4bd59db1288021743503259e948f6b1a18";

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
  Node(const std::string& name, const std::string& topic, const std::string& hash, bool has_events)
      : has_events_(has_events),
        participant_(dds_create_participant(DDS_DOMAIN_DEFAULT, nullptr, nullptr)),
        writer_(dds_create_writer(participant_,
                                  topic_of(participant_,
                                           has_events ? std_srvs_srv_dds__SetBool_Event__desc
                                                      : std_msgs_msg_dds__String__desc,
                                           "rt" + topic),
                                  quality(DDS_DURABILITY_VOLATILE, "typehash=" + hash + ";"),
                                  nullptr)) {
    serve(name + "/get_type_description");
    announce(name);
  }

  void run() {
    for (int i = 0; !is_over; ++i) {
      if (has_events_) {
        send_event();
      } else {
        std::string text = "driver " + std::to_string(i);
        std_msgs_msg_dds__String_ message{c_text(text)};
        dds_write(writer_, &message);
      }
      listen();
      answer();
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  }

 private:
  void send_event() const {
    std_srvs_srv_dds__SetBool_Request_ request{true};
    std_srvs_srv_dds__SetBool_Event_ event{};
    event.info_.event_type_ = 1;
    event.info_.sequence_number_ = 7;
    event.request_._length = 1;
    event.request_._buffer = &request;
    dds_write(writer_, &event);
  }

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
    rmw_dds_common_msg_dds__Gid_ gid = gid_of(writer_);
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
    std::string none;
    type_description_interfaces_srv_dds__GetTypeDescription_Response_ reply{};
    reply.client_ = request.client_;
    reply.sequence_ = request.sequence_;
    reply.successful_ = true;
    reply.failure_reason_ = c_text(none);
    std::vector<Described> types = has_events_ ? described_event() : described_string();
    std::vector<type_description_interfaces_srv_dds__IndividualTypeDescription_> descriptions;
    std::vector<type_description_interfaces_srv_dds__TypeSource_> sources;
    for (Described& type : types) {
      descriptions.push_back({c_text(type.name), {}});
      descriptions.back().fields_._length = static_cast<std::uint32_t>(type.fields.size());
      descriptions.back().fields_._buffer = type.fields.data();
      sources.push_back({c_text(type.name), c_text(type.encoding), c_text(type.text)});
    }
    reply.type_description_ = descriptions.front();
    reply.referenced_type_descriptions_._length =
        static_cast<std::uint32_t>(descriptions.size() - 1);
    reply.referenced_type_descriptions_._buffer = descriptions.data() + 1;
    reply.type_sources_._length = static_cast<std::uint32_t>(sources.size());
    reply.type_sources_._buffer = sources.data();
    dds_write(replies_, &reply);
  }

  using Field = type_description_interfaces_srv_dds__Field_;
  struct Described {
    std::string name;
    std::string encoding;
    std::string text;
    std::vector<Field> fields;
  };

  /// Its texts live as long as the program.
  static Field field(const char* name, std::uint8_t type, const char* nested = "",
                     std::uint64_t capacity = 0) {
    static char none[] = "";
    Field made{};
    made.name_ = const_cast<char*>(name);
    made.type_.type_id_ = type;
    made.type_.capacity_ = capacity;
    made.type_.nested_type_name_ = const_cast<char*>(nested);
    made.default_value_ = none;
    return made;
  }

  static std::vector<Described> described_string() {
    return {{"std_msgs/msg/String",
             "msg",
             "# as the driver has it\nstring data\n",
             {field("data", 17)}}};
  }

  static std::vector<Described> described_event() {
    return {{"std_srvs/srv/SetBool_Event",
             "implicit",
             "",
             {field("info", 1, "service_msgs/msg/ServiceEventInfo"),
              field("request", 97, "std_srvs/srv/SetBool_Request", 1),
              field("response", 97, "std_srvs/srv/SetBool_Response", 1)}},
            {"builtin_interfaces/msg/Time",
             "msg",
             "int32 sec\nuint32 nanosec\n",
             {field("sec", 6), field("nanosec", 7)}},
            {"service_msgs/msg/ServiceEventInfo",
             "msg",
             "uint8 event_type\nbuiltin_interfaces/Time stamp\nchar[16] client_gid\n"
             "int64 sequence_number\n",
             {field("event_type", 3), field("stamp", 1, "builtin_interfaces/msg/Time"),
              field("client_gid", 51, "", 16), field("sequence_number", 8)}},
            {"std_srvs/srv/SetBool_Request", "implicit", "", {field("data", 15)}},
            {"std_srvs/srv/SetBool_Response",
             "implicit",
             "",
             {field("success", 15), field("message", 17)}}};
  }

  bool has_events_;

  dds_entity_t participant_;
  dds_entity_t writer_;
  dds_entity_t graph_ = 0;
  dds_entity_t requests_ = 0;
  dds_entity_t replies_ = 0;
};

void run_server(const std::string& service) {
  dds_entity_t participant = dds_create_participant(DDS_DOMAIN_DEFAULT, nullptr, nullptr);
  dds_qos_t* qos = quality(DDS_DURABILITY_VOLATILE, "serviceid=1.2.3.4.5.6.7.8.9.a.b.c.d.e.f.0;");
  dds_qos_t* keeping = dds_create_qos();
  dds_copy_qos(keeping, qos);
  dds_qset_history(keeping, DDS_HISTORY_KEEP_ALL, DDS_LENGTH_UNLIMITED);  // it may be slow here
  dds_entity_t requests =
      dds_create_reader(participant,
                        topic_of(participant, example_interfaces_srv_dds__AddTwoInts_Request__desc,
                                 "rq" + service + "Request"),
                        keeping, nullptr);
  dds_entity_t replies =
      dds_create_writer(participant,
                        topic_of(participant, example_interfaces_srv_dds__AddTwoInts_Response__desc,
                                 "rr" + service + "Reply"),
                        qos, nullptr);
  std::printf("serving\n");
  std::fflush(stdout);
  while (!is_over) {
    void* sample = nullptr;
    dds_sample_info_t about;
    while (dds_take(requests, &sample, &about, 1, 1) > 0) {
      const auto& asked = *static_cast<example_interfaces_srv_dds__AddTwoInts_Request_*>(sample);
      if (about.valid_data) {
        std::printf(
            "request %llu %lld %lld %lld %d\n", static_cast<unsigned long long>(asked.client_),
            static_cast<long long>(asked.number_), static_cast<long long>(asked.a_),
            static_cast<long long>(asked.b_), dds_get_matched_subscriptions(replies, nullptr, 0));
        std::fflush(stdout);
        example_interfaces_srv_dds__AddTwoInts_Response_ reply{asked.client_, asked.number_,
                                                               asked.a_ + asked.b_};
        dds_write(replies, &reply);
      }
      dds_return_loan(requests, &sample, 1);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

void run_plain(bool disposes) {
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
    if (disposes && i % 2 == 0) dds_dispose(writer, &state);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

/// Of readers, then of writers.
void tell_endpoints(dds_entity_t from, const char* kind, dds_guid_t own) {
  void* sample = nullptr;
  dds_sample_info_t about;
  while (dds_take(from, &sample, &about, 1, 1) > 0) {
    auto* endpoint = static_cast<dds_builtintopic_endpoint_t*>(sample);
    bool is_own =
        about.valid_data && std::memcmp(endpoint->participant_key.v, own.v, sizeof own.v) == 0;
    if (about.valid_data && !is_own) {
      void* data = nullptr;
      std::size_t size = 0;
      dds_qget_userdata(endpoint->qos, &data, &size);
      std::printf("endpoint %s %s %.*s\n", kind, endpoint->topic_name, static_cast<int>(size),
                  data ? static_cast<const char*>(data) : "");
      std::fflush(stdout);
      dds_free(data);
    }
    dds_return_loan(from, &sample, 1);
  }
}

void run_endpoints() {
  dds_entity_t participant = dds_create_participant(DDS_DOMAIN_DEFAULT, nullptr, nullptr);
  dds_guid_t own{};
  dds_get_guid(participant, &own);
  dds_entity_t readers =
      dds_create_reader(participant, DDS_BUILTIN_TOPIC_DCPSSUBSCRIPTION, nullptr, nullptr);
  dds_entity_t writers =
      dds_create_reader(participant, DDS_BUILTIN_TOPIC_DCPSPUBLICATION, nullptr, nullptr);
  while (!is_over) {
    tell_endpoints(readers, "reader", own);
    tell_endpoints(writers, "writer", own);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

void tell_incompatible(dds_entity_t writer) {
  dds_offered_incompatible_qos_status_t status{};
  dds_get_offered_incompatible_qos_status(writer, &status);
  if (status.total_count_change == 0) return;
  std::printf("incompatible %u\n", status.last_policy_id);
  std::fflush(stdout);
}

void run_send(const std::string& topic, long count, double hz, bool is_reliable) {
  dds_entity_t participant = dds_create_participant(DDS_DOMAIN_DEFAULT, nullptr, nullptr);
  dds_qos_t* qos = quality(DDS_DURABILITY_VOLATILE, "typehash=" + std::string(kStringHash) + ";");
  if (!is_reliable) dds_qset_reliability(qos, DDS_RELIABILITY_BEST_EFFORT, 0);
  dds_entity_t writer = dds_create_writer(
      participant, topic_of(participant, std_msgs_msg_dds__String__desc, "rt" + topic), qos,
      nullptr);
  while (!is_over && dds_get_matched_subscriptions(writer, nullptr, 0) < 1) {
    tell_incompatible(writer);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(500));  // the other side may be behind
  for (long i = 0; i < count && !is_over; ++i) {
    std::string text = std::to_string(i);
    std_msgs_msg_dds__String_ message{c_text(text)};
    dds_write(writer, &message);
    tell_incompatible(writer);
    std::this_thread::sleep_for(std::chrono::duration<double>(1 / hz));
  }
  dds_wait_for_acks(writer, DDS_SECS(5));
  std::printf("sent %ld\n", count);
  std::fflush(stdout);
  while (!is_over) {
    tell_incompatible(writer);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

std::vector<dds_entity_t> writers_of(dds_entity_t participant, const std::string& name, int count,
                                     const dds_qos_t* qos) {
  std::vector<dds_entity_t> writers;
  for (int i = 0; i < count; ++i) {
    writers.push_back(dds_create_writer(
        participant,
        topic_of(participant, std_msgs_msg_dds__UInt8MultiArray__desc, name + std::to_string(i)),
        qos, nullptr));
  }
  for (dds_entity_t writer : writers) {
    while (!is_over && dds_get_matched_subscriptions(writer, nullptr, 0) < 1) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  }
  return writers;
}

/// `hz` messages a second for so long, on each of the writers in turn; how many.
long send_bytes(const std::vector<dds_entity_t>& writers, std::uint32_t bytes, double hz,
                double seconds) {
  std::vector<std::uint8_t> data(bytes - 8, 7);
  std_msgs_msg_dds__UInt8MultiArray_ message{};
  message.data_._length = static_cast<std::uint32_t>(data.size());
  message.data_._buffer = data.data();
  auto start = std::chrono::steady_clock::now();
  long count = 0;
  for (; static_cast<double>(count) < hz * seconds && !is_over; ++count) {
    std::chrono::duration<double> when(static_cast<double>(count) / hz);
    if (count % (hz > 1000 ? 40 : 1) == 0) {
      std::this_thread::sleep_until(start +
                                    std::chrono::duration_cast<std::chrono::nanoseconds>(when));
    }
    dds_write(writers[static_cast<std::size_t>(count) % writers.size()], &message);
  }
  return count;
}

void run_mixed(double seconds) {
  dds_entity_t participant = dds_create_participant(DDS_DOMAIN_DEFAULT, nullptr, nullptr);
  dds_qos_t* qos = quality(DDS_DURABILITY_VOLATILE, "kitbag_test=1;");
  auto small = writers_of(participant, "rt/small", 10, qos);
  auto large = writers_of(participant, "rt/large", 4, qos);
  std::this_thread::sleep_for(std::chrono::milliseconds(1000));  // the other side may be behind
  std::atomic<long> count = 0;
  std::thread others([&] { count += send_bytes(large, 1'000'000, 200, seconds); });
  count += send_bytes(small, 100, 40'000, seconds);
  others.join();
  for (dds_entity_t writer : large) dds_wait_for_acks(writer, DDS_SECS(5));
  for (dds_entity_t writer : small) dds_wait_for_acks(writer, DDS_SECS(5));
  std::printf("sent %ld\n", count.load());
  std::fflush(stdout);
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
  if (mode == "plain" || mode == "disposing") run_plain(mode == "disposing");
  if (mode == "load" && count == 6) {
    run_load(std::stol(words[2]), std::stod(words[3]),
             static_cast<std::uint32_t>(std::stoul(words[4])), std::stoi(words[5]));
  }
  if (mode == "endpoints") run_endpoints();
  if (mode == "serve" && count == 3) run_server(words[2]);
  if (mode == "send" && count == 6) {
    run_send(words[2], std::stol(words[3]), std::stod(words[4]),
             std::string(words[5]) == "reliable");
  }
  if (mode == "mixed" && count == 3) run_mixed(std::stod(words[2]));
  if ((mode == "node" || mode == "events") && count == 5) {
    Node(words[2], words[3], words[4], mode == "events").run();
  }
  input.join();
  return 0;
}
