// A peer of ROS 2 that is not ours: Fast DDS, with payloads of std_msgs/msg/String made here.
//
//   fastdds_peer pub TOPIC TYPE QOS TEXT COUNT   sends TEXT 0, TEXT 1, ... each 20 ms; with "w" in
//                                                QOS it makes its writer only when it has heard of
//                                                a subscriber, and waits for that to have it;
//                                                with "m" it sends when a subscriber matches
//   fastdds_peer sub TOPIC TYPE QOS              a line for each payload, in hex
//   fastdds_peer pubs QOS TOPIC TYPE ...         one message on each of the topics, whose writers
//   come
//                                                in this order; then "sent"
//   fastdds_peer serve SERVICE TYPE QOS          the requests of a service as "sub" tells them, of
//   a
//                                                TYPE such as "x::srv::dds_::T"; answers none
//   fastdds_peer load COUNT HZ BYTES TOPICS      reliable, COUNT in all; then prints what it sent
//   fastdds_peer call                            calls services as rmw_fastrtps does: for a line
//                                                "SERVICE TYPE HEX" prints "reply HEX" or "none".
//                                                TYPE: "rosbag2_interfaces/Pause"
//
// QOS: r reliable or b best effort, t transient local or v volatile. Names are those of DDS. It
// ends when standard input does. Domain: ROS_DOMAIN_ID.

#include <fastdds/dds/domain/DomainParticipant.hpp>
#include <fastdds/dds/domain/DomainParticipantFactory.hpp>
#include <fastdds/dds/domain/DomainParticipantListener.hpp>
#include <fastdds/dds/publisher/DataWriter.hpp>
#include <fastdds/dds/publisher/Publisher.hpp>
#include <fastdds/dds/subscriber/DataReader.hpp>
#include <fastdds/dds/subscriber/DataReaderListener.hpp>
#include <fastdds/dds/subscriber/SampleInfo.hpp>
#include <fastdds/dds/subscriber/Subscriber.hpp>
#include <fastdds/dds/topic/TopicDataType.hpp>
#include <fastdds/dds/topic/TypeSupport.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <iostream>
#include <map>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace eprosima::fastdds::dds;
using eprosima::fastrtps::rtps::InstanceHandle_t;
using eprosima::fastrtps::rtps::SerializedPayload_t;

/// A whole payload, with its encapsulation header.
using Payload = std::vector<unsigned char>;

/// Leaves payloads as they are.
class AnyType : public TopicDataType {
 public:
  AnyType(const std::string& name, std::uint32_t most_bytes) {
    setName(name.c_str());
    m_typeSize = most_bytes;
    m_isGetKeyDefined = false;
    auto_fill_type_object(false);
    auto_fill_type_information(false);
  }
  bool serialize(void* data, SerializedPayload_t* into) override {
    const auto& payload = *static_cast<Payload*>(data);
    if (payload.size() > into->max_size) return false;
    std::memcpy(into->data, payload.data(), payload.size());
    into->length = static_cast<std::uint32_t>(payload.size());
    into->encapsulation = CDR_LE;
    return true;
  }
  bool deserialize(SerializedPayload_t* from, void* data) override {
    static_cast<Payload*>(data)->assign(from->data, from->data + from->length);
    return true;
  }
  std::function<std::uint32_t()> getSerializedSizeProvider(void* data) override {
    return [data] { return static_cast<std::uint32_t>(static_cast<Payload*>(data)->size()); };
  }
  void* createData() override { return new Payload; }
  void deleteData(void* data) override { delete static_cast<Payload*>(data); }
  bool getKey(void*, InstanceHandle_t*, bool) override { return false; }
  bool is_bounded() const override { return false; }
  bool is_plain() const override { return false; }
};

class PrintHex : public DataReaderListener {
 public:
  void on_data_available(DataReader* reader) override {
    Payload payload;
    SampleInfo info;
    while (reader->take_next_sample(&payload, &info) == ReturnCode_t::RETCODE_OK) {
      if (!info.valid_data) continue;
      std::string line;
      for (unsigned char byte : payload) {
        char digits[3];
        std::snprintf(digits, sizeof digits, "%02x", byte);
        line += digits;
      }
      std::puts(line.c_str());
      std::fflush(stdout);
    }
  }
};

Payload string_payload(const std::string& text) {
  Payload payload = {0, 1, 0, 0};
  auto size = static_cast<std::uint32_t>(text.size() + 1);
  for (int shift = 0; shift < 32; shift += 8) {
    payload.push_back(static_cast<unsigned char>(size >> shift));
  }
  payload.insert(payload.end(), text.begin(), text.end());
  payload.push_back(0);
  return payload;
}

void until_input_ends() {
  for (std::string line; std::getline(std::cin, line);) {
  }
}

template <class Qos>
void set(Qos& qos, const std::string& letters) {
  bool is_reliable = letters.find('r') != std::string::npos;
  bool is_latched = letters.find('t') != std::string::npos;
  qos.reliability().kind = is_reliable ? RELIABLE_RELIABILITY_QOS : BEST_EFFORT_RELIABILITY_QOS;
  qos.durability().kind = is_latched ? TRANSIENT_LOCAL_DURABILITY_QOS : VOLATILE_DURABILITY_QOS;
  qos.history().kind = KEEP_LAST_HISTORY_QOS;
  qos.history().depth = 100;
  qos.endpoint().history_memory_policy =
      eprosima::fastrtps::rtps::PREALLOCATED_WITH_REALLOC_MEMORY_MODE;
  qos.data_sharing().off();
}

/// Hears of subscribers to a topic.
class Discovery : public DomainParticipantListener {
 public:
  explicit Discovery(std::string topic) : topic_(std::move(topic)) {}
  void on_subscriber_discovery(DomainParticipant*,
                               eprosima::fastrtps::rtps::ReaderDiscoveryInfo&& info) override {
    if (info.info.topicName().c_str() == topic_) is_there = true;
  }
  std::atomic<bool> is_there = false;

 private:
  std::string topic_;
};

int publish(DomainParticipant& participant, Topic* topic, const std::string& letters,
            const std::string& text, int count) {
  DataWriterQos qos = DATAWRITER_QOS_DEFAULT;
  set(qos, letters);
  auto* publisher = participant.create_publisher(PUBLISHER_QOS_DEFAULT);
  Discovery discovery(topic->get_name());
  participant.set_listener(&discovery, StatusMask::none());
  bool awaits = letters.find('w') != std::string::npos;
  while (awaits && !discovery.is_there) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  auto* writer = publisher->create_datawriter(topic, qos);
  bool matches = letters.find('m') == std::string::npos;
  while (!matches) {
    PublicationMatchedStatus status;
    writer->get_publication_matched_status(status);
    matches = status.current_count > 0;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  // The other side may hear of the match a little later, and takes nothing before.
  std::this_thread::sleep_for(std::chrono::milliseconds(awaits ? 500 : 0));
  for (int i = 0; i < count; ++i) {
    Payload payload = string_payload(text + " " + std::to_string(i));
    writer->write(&payload);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  std::puts("sent");
  std::fflush(stdout);
  until_input_ends();
  participant.set_listener(nullptr);
  return 0;
}

int subscribe(DomainParticipant& participant, Topic* topic, const std::string& letters) {
  DataReaderQos qos = DATAREADER_QOS_DEFAULT;
  set(qos, letters);
  PrintHex listener;
  auto* subscriber = participant.create_subscriber(SUBSCRIBER_QOS_DEFAULT);
  subscriber->create_datareader(topic, qos, &listener);
  until_input_ends();
  participant.delete_contained_entities();
  return 0;
}

int publish_one_each(DomainParticipant& participant, const std::vector<std::string>& arguments) {
  auto* publisher = participant.create_publisher(PUBLISHER_QOS_DEFAULT);
  DataWriterQos qos = DATAWRITER_QOS_DEFAULT;
  set(qos, arguments[1]);
  for (std::size_t i = 2; i + 1 < arguments.size(); i += 2) {
    TypeSupport type(new AnyType(arguments[i + 1], 4096));
    type.register_type(&participant);
    auto* topic = participant.create_topic(arguments[i], type.get_type_name(), TOPIC_QOS_DEFAULT);
    Payload payload = string_payload("x");
    publisher->create_datawriter(topic, qos)->write(&payload);
  }
  std::puts("sent");
  std::fflush(stdout);
  until_input_ends();
  return 0;
}

/// As rmw_fastrtps has a service: two topics, and nothing of its own in front of the content.
int serve(DomainParticipant& participant, const std::string& service, const std::string& type,
          const std::string& letters) {
  constexpr std::uint32_t kMostBytes = 4096;
  TypeSupport replies(new AnyType(type + "_Response_", kMostBytes));
  TypeSupport requests(new AnyType(type + "_Request_", kMostBytes));
  replies.register_type(&participant);
  requests.register_type(&participant);
  DataWriterQos qos = DATAWRITER_QOS_DEFAULT;
  set(qos, letters);
  participant.create_publisher(PUBLISHER_QOS_DEFAULT)
      ->create_datawriter(participant.create_topic("rr" + service + "Reply",
                                                   replies.get_type_name(), TOPIC_QOS_DEFAULT),
                          qos);
  return subscribe(participant,
                   participant.create_topic("rq" + service + "Request", requests.get_type_name(),
                                            TOPIC_QOS_DEFAULT),
                   letters);
}

int load(DomainParticipant& participant, long count, double hz, std::size_t bytes, int topics) {
  TypeSupport type(new AnyType("std_msgs::msg::dds_::String_", static_cast<std::uint32_t>(bytes)));
  type.register_type(&participant);
  auto* publisher = participant.create_publisher(PUBLISHER_QOS_DEFAULT);
  std::vector<DataWriter*> writers;
  for (int i = 0; i < topics; ++i) {
    auto* topic = participant.create_topic("rt/load" + std::to_string(i), type.get_type_name(),
                                           TOPIC_QOS_DEFAULT);
    DataWriterQos qos = DATAWRITER_QOS_DEFAULT;
    set(qos, "rv");
    // Slow subscribers make it wait, and are asked often what they have.
    qos.history().kind = KEEP_ALL_HISTORY_QOS;
    qos.resource_limits().max_samples =
        static_cast<int>(std::max<long>(8, 32'000'000L / static_cast<long>(bytes)));
    qos.resource_limits().max_samples_per_instance = qos.resource_limits().max_samples;
    qos.reliability().max_blocking_time = {10, 0};
    qos.reliable_writer_qos().times.heartbeatPeriod = {0, 20'000'000};
    writers.push_back(publisher->create_datawriter(topic, qos));
  }
  std::string go;
  std::getline(std::cin, go);
  Payload payload(bytes, 7);
  payload[0] = payload[2] = payload[3] = 0;
  payload[1] = 1;
  auto start = std::chrono::steady_clock::now();
  long sent = 0;
  for (long i = 0; i < count; ++i) {
    std::this_thread::sleep_until(start +
                                  std::chrono::duration<double>(static_cast<double>(i) / hz));
    sent += writers[static_cast<std::size_t>(i % topics)]->write(&payload) ? 1 : 0;
  }
  double took = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  std::printf("sent %ld in %.3f\n", sent, took);
  std::fflush(stdout);
  until_input_ends();
  return 0;
}

Payload from_hex(const std::string& text) {
  Payload payload;
  for (std::size_t i = 0; i + 1 < text.size(); i += 2) {
    payload.push_back(static_cast<unsigned char>(std::stoi(text.substr(i, 2), nullptr, 16)));
  }
  return payload;
}

/// A client of a service, as rmw_fastrtps makes one.
struct Client {
  DataReader* reader = nullptr;
  DataWriter* writer = nullptr;
};

Client make_client(DomainParticipant& participant, const std::string& service,
                   const std::string& type) {
  constexpr std::uint32_t kMostBytes = 4096;
  std::size_t slash = type.find('/');
  std::string prefix = type.substr(0, slash) + "::srv::dds_::" + type.substr(slash + 1);
  TypeSupport request_type(new AnyType(prefix + "_Request_", kMostBytes));
  TypeSupport reply_type(new AnyType(prefix + "_Response_", kMostBytes));
  request_type.register_type(&participant);
  reply_type.register_type(&participant);
  auto* request_topic = participant.create_topic("rq" + service + "Request",
                                                 request_type.get_type_name(), TOPIC_QOS_DEFAULT);
  auto* reply_topic = participant.create_topic("rr" + service + "Reply", reply_type.get_type_name(),
                                               TOPIC_QOS_DEFAULT);
  auto* publisher = participant.create_publisher(PUBLISHER_QOS_DEFAULT);
  auto* subscriber = participant.create_subscriber(SUBSCRIBER_QOS_DEFAULT);
  DataWriterQos writer_qos = DATAWRITER_QOS_DEFAULT;
  set(writer_qos, "rv");
  DataReaderQos reader_qos = DATAREADER_QOS_DEFAULT;
  set(reader_qos, "rv");
  Client client;
  client.reader = subscriber->create_datareader(reply_topic, reader_qos);
  client.writer = publisher->create_datawriter(request_topic, writer_qos);
  return client;
}

/// What rmw_fastrtps does for a call: the request carries where it wants its reply, and the reply
/// is the one that says which request it is for. A server may not have seen a new client yet, which
/// the client cannot know; then the request is lost, and sent again.
std::string call(const Client& client, Payload request) {
  constexpr auto kPatience = std::chrono::seconds(20);
  constexpr auto kLost = std::chrono::seconds(4);
  auto* reader = client.reader;
  auto* writer = client.writer;
  auto deadline = std::chrono::steady_clock::now() + kPatience;
  auto is_late = [&] { return std::chrono::steady_clock::now() > deadline; };
  PublicationMatchedStatus heard;
  SubscriptionMatchedStatus hears;
  do {
    writer->get_publication_matched_status(heard);
    reader->get_subscription_matched_status(hears);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  } while ((heard.current_count < 1 || hears.current_count < 1) && !is_late());
  std::vector<eprosima::fastrtps::rtps::SequenceNumber_t> numbers;
  auto next = std::chrono::steady_clock::now();
  std::string answer = "none";
  while (answer == "none" && !is_late()) {
    if (std::chrono::steady_clock::now() >= next) {
      eprosima::fastrtps::rtps::WriteParams sent;
      sent.related_sample_identity().writer_guid() = reader->guid();
      writer->write(&request, sent);
      numbers.push_back(sent.sample_identity().sequence_number());
      next += kLost;
    }
    Payload reply;
    SampleInfo info;
    while (reader->take_next_sample(&reply, &info) == ReturnCode_t::RETCODE_OK) {
      const auto& about = info.related_sample_identity;
      bool is_for_us =
          about.writer_guid() == reader->guid() || about.writer_guid() == writer->guid();
      bool is_answer =
          std::find(numbers.begin(), numbers.end(), about.sequence_number()) != numbers.end();
      if (!info.valid_data || !is_for_us || !is_answer) continue;
      answer = "reply ";
      for (unsigned char byte : reply) {
        char digits[3];
        std::snprintf(digits, sizeof digits, "%02x", byte);
        answer += digits;
      }
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return answer;
}

/// Each service has one client, which stays: where one comes and goes for each request, a server
/// may still see the reader of the last one and reply before it has seen the next.
int call_all(DomainParticipant& participant) {
  std::map<std::string, Client> clients;
  for (std::string line; std::getline(std::cin, line);) {
    std::size_t type = line.find(' ') + 1;
    std::size_t hex = line.find(' ', type) + 1;
    auto [place, is_new] = clients.try_emplace(line.substr(0, hex - 1));
    if (is_new) {
      place->second =
          make_client(participant, line.substr(0, type - 1), line.substr(type, hex - 1 - type));
    }
    std::puts(call(place->second, from_hex(line.substr(hex))).c_str());
    std::fflush(stdout);
  }
  return 0;
}

}  // namespace

int main(int count, char** words) {
  std::vector<std::string> arguments(words + 1, words + count);
  const char* domain = std::getenv("ROS_DOMAIN_ID");
  auto* participant = DomainParticipantFactory::get_instance()->create_participant(
      static_cast<std::uint32_t>(domain ? std::atoi(domain) : 0), PARTICIPANT_QOS_DEFAULT);
  if (participant && arguments == std::vector<std::string>{"call"}) return call_all(*participant);
  if (!participant || arguments.size() < 4) return 2;
  if (arguments[0] == "load") {
    return arguments.size() < 5 ? 2
                                : load(*participant, std::atol(arguments[1].c_str()),
                                       std::atof(arguments[2].c_str()), std::stoul(arguments[3]),
                                       std::atoi(arguments[4].c_str()));
  }
  if (arguments[0] == "pubs") return publish_one_each(*participant, arguments);
  if (arguments[0] == "serve") {
    return serve(*participant, arguments[1], arguments[2], arguments[3]);
  }
  constexpr std::uint32_t kMostBytes = 4096;
  TypeSupport type(new AnyType(arguments[2], kMostBytes));
  type.register_type(participant);
  auto* topic = participant->create_topic(arguments[1], arguments[2], TOPIC_QOS_DEFAULT);
  if (arguments[0] == "sub") return subscribe(*participant, topic, arguments[3]);
  if (arguments[0] != "pub" || arguments.size() < 6) return 2;
  return publish(*participant, topic, arguments[3], arguments[4], std::atoi(arguments[5].c_str()));
}
