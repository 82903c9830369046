// Calls services as a client on rmw_cyclonedds does, with types that Cyclone's own compiler made
// from ros2_types.idl.
//
// A call is a line of standard input: SERVICE TYPE REQUEST REPLY [VALUE...], such as
//
//   /kitbag_player/set_rate SetRate Real Flag 2.5
//
// REQUEST and REPLY are the layouts, of the module "layout". Prints "reply VALUE..." or "none".
// Domain: ROS_DOMAIN_ID.

#include <dds/dds.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <map>
#include <random>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <ros2_types.h>  // by idlc

namespace {

constexpr auto kPatience = std::chrono::seconds(20);

using Words = std::vector<std::string>;

std::string word(const Words& words, std::size_t index) {
  return index < words.size() ? words[index] : std::string();
}
long number(const Words& words, std::size_t index) {
  return std::atol(word(words, index).c_str());
}

struct Layout {
  const dds_topic_descriptor_t* type;
  std::function<dds_return_t(dds_entity_t, std::uint64_t, std::int64_t, const Words&)> send;
  std::function<std::string(const void*)> print;
};

template <class T>
T headed(std::uint64_t client, std::int64_t sequence) {
  T request{};
  request.client_ = client;
  request.sequence_ = sequence;
  return request;
}

template <class T>
const T& as(const void* reply) {
  return *static_cast<const T*>(reply);
}

const std::map<std::string, Layout> kLayouts = {
    {"Empty",
     {&layout_Empty_desc,
      [](dds_entity_t writer, auto client, auto sequence, const Words&) {
        auto request = headed<layout_Empty>(client, sequence);
        return dds_write(writer, &request);
      },
      [](const void*) { return std::string(); }}},
    {"Flag",
     {&layout_Flag_desc,
      {},
      [](const void* reply) {
        return std::string(as<layout_Flag>(reply).value ? "true" : "false");
      }}},
    {"Real",
     {&layout_Real_desc,
      [](dds_entity_t writer, auto client, auto sequence, const Words& words) {
        auto request = headed<layout_Real>(client, sequence);
        request.value = std::atof(word(words, 0).c_str());
        return dds_write(writer, &request);
      },
      [](const void* reply) { return std::to_string(as<layout_Real>(reply).value); }}},
    {"Number",
     {&layout_Number_desc,
      [](dds_entity_t writer, auto client, auto sequence, const Words& words) {
        auto request = headed<layout_Number>(client, sequence);
        request.value = static_cast<std::uint64_t>(number(words, 0));
        return dds_write(writer, &request);
      },
      [](const void* reply) { return std::to_string(as<layout_Number>(reply).value); }}},
    {"Text",
     {&layout_Text_desc,
      [](dds_entity_t writer, auto client, auto sequence, const Words& words) {
        auto request = headed<layout_Text>(client, sequence);
        std::string value = word(words, 0);
        request.value = value.data();
        return dds_write(writer, &request);
      },
      [](const void* reply) { return std::string(as<layout_Text>(reply).value); }}},
    {"Result",
     {&layout_Result_desc,
      {},
      [](const void* reply) {
        const auto& result = as<layout_Result>(reply);
        return std::to_string(result.return_code) + " " + result.error_string;
      }}},
    {"Time",
     {&layout_Time_desc,
      [](dds_entity_t writer, auto client, auto sequence, const Words& words) {
        auto request = headed<layout_Time>(client, sequence);
        request.sec = static_cast<std::int32_t>(number(words, 0));
        request.nanosec = static_cast<std::uint32_t>(number(words, 1));
        return dds_write(writer, &request);
      },
      {}}},
    {"Part",
     {&layout_Part_desc,
      [](dds_entity_t writer, auto client, auto sequence, const Words& words) {
        auto request = headed<layout_Part>(client, sequence);
        request.start_sec = static_cast<std::int32_t>(number(words, 0));
        request.start_nanosec = static_cast<std::uint32_t>(number(words, 1));
        request.duration_sec = static_cast<std::int32_t>(number(words, 2));
        request.duration_nanosec = static_cast<std::uint32_t>(number(words, 3));
        request.until_sec = static_cast<std::int32_t>(number(words, 4));
        request.until_nanosec = static_cast<std::uint32_t>(number(words, 5));
        return dds_write(writer, &request);
      },
      {}}},
    {"Split",
     {&layout_Split_desc,
      [](dds_entity_t writer, auto client, auto sequence, const Words& words) {
        auto request = headed<layout_Split>(client, sequence);
        request.sec = static_cast<std::int32_t>(number(words, 0));
        std::string none;
        request.tracking_topic_name = none.data();
        return dds_write(writer, &request);
      },
      {}}},
};

/// The layout under the name of a type of a service. Its parts live as long as the program.
dds_topic_descriptor_t* named(const Layout& layout, const std::string& type, const char* end) {
  auto* name = new std::string("rosbag2_interfaces::srv::dds_::" + type + end);
  const dds_topic_descriptor_t& of = *layout.type;
  return new dds_topic_descriptor_t{of.m_size,
                                    of.m_align,
                                    of.m_flagset & ~DDS_TOPIC_XTYPES_METADATA,
                                    of.m_nkeys,
                                    name->c_str(),
                                    of.m_keys,
                                    of.m_nops,
                                    of.m_ops,
                                    of.m_meta,
                                    {},
                                    {},
                                    of.restrict_data_representation};
}

dds_qos_t* quality(const std::string& user_data) {
  dds_qos_t* qos = dds_create_qos();
  dds_qset_reliability(qos, DDS_RELIABILITY_RELIABLE, DDS_SECS(1));
  dds_qset_durability(qos, DDS_DURABILITY_VOLATILE);
  dds_qset_history(qos, DDS_HISTORY_KEEP_LAST, 10);
  dds_qset_userdata(qos, user_data.data(), user_data.size());
  dds_data_representation_id_t plain = DDS_DATA_REPRESENTATION_XCDR1;
  dds_qset_data_representation(qos, 1, &plain);
  return qos;
}

class Client {
 public:
  Client(dds_entity_t participant, const std::string& service, const std::string& type,
         const Layout& request, const Layout& reply)
      : request_(request), reply_(reply) {
    std::random_device random;
    id_ = std::uint64_t{random()} << 32 | random();
    dds_qos_t* qos = quality("clientid=" + std::to_string(random() % 256) + ".7.0." +
                             std::to_string(random() % 256) + ";");
    writer_ =
        dds_create_writer(participant,
                          dds_create_topic(participant, named(request, type, "_Request_"),
                                           ("rq" + service + "Request").c_str(), nullptr, nullptr),
                          qos, nullptr);
    reader_ =
        dds_create_reader(participant,
                          dds_create_topic(participant, named(reply, type, "_Response_"),
                                           ("rr" + service + "Reply").c_str(), nullptr, nullptr),
                          qos, nullptr);
    dds_delete_qos(qos);
  }
  ~Client() {
    dds_delete(writer_);
    dds_delete(reader_);
  }

  std::string call(const Words& words) {
    auto deadline = std::chrono::steady_clock::now() + kPatience;
    auto is_late = [&] { return std::chrono::steady_clock::now() > deadline; };
    while (dds_get_matched_subscriptions(writer_, nullptr, 0) < 1 ||
           dds_get_matched_publications(reader_, nullptr, 0) < 1) {
      if (is_late()) return "none";
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    if (request_.send(writer_, id_, ++sequence_, words) != DDS_RETCODE_OK) return "none";
    while (!is_late()) {
      void* sample = nullptr;
      dds_sample_info_t about;
      while (dds_take(reader_, &sample, &about, 1, 1) > 0) {
        const auto& head = as<layout_Empty>(sample);
        bool is_ours = about.valid_data && head.client_ == id_ && head.sequence_ == sequence_;
        std::string text = is_ours ? "reply " + reply_.print(sample) : std::string();
        dds_return_loan(reader_, &sample, 1);
        sample = nullptr;
        if (is_ours) return text;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    return "none";
  }

 private:
  const Layout& request_;
  const Layout& reply_;
  dds_entity_t writer_ = 0;
  dds_entity_t reader_ = 0;
  std::uint64_t id_ = 0;
  std::int64_t sequence_ = 0;
};

}  // namespace

int main() {
  dds_entity_t participant = dds_create_participant(DDS_DOMAIN_DEFAULT, nullptr, nullptr);
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream in(line);
    std::string service;
    std::string type;
    std::string request;
    std::string reply;
    in >> service >> type >> request >> reply;
    Words words;
    for (std::string each; in >> each;) words.push_back(each);
    Client client(participant, service, type, kLayouts.at(request), kLayouts.at(reply));
    std::puts(client.call(words).c_str());
    std::fflush(stdout);
  }
  dds_delete(participant);
  return 0;
}
