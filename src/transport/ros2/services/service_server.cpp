#include "transport/ros2/services/service_server.h"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <utility>

#include "kitbag/error.h"
#include "transport/ros2/names.h"
#include "transport/ros2/qos.h"
#include "transport/ros2/services/marked_sending.h"

// Each middleware finds the reply to a request in its own way (rpc.cpp), and the vendor in the GUID
// of the request's writer says which one it is. Clients on Cyclone DDS get the Call of their
// request back. For all others the reply is marked in its RTPS message (marked_sending.cpp).
//
// A reply that is sent before the client's reader has been discovered is lost, and the client waits
// for ever. So a reply waits until there is a reader of that client: one on the same participant,
// with the same id where the client tells one. On a busy machine that takes a second and more.
//
// What kitbag does for one client the others wait for: it is done at once, or in a tenth of a
// second. Only a burst takes as long as its subscribers take.

namespace kitbag::ros2 {

namespace {

constexpr Duration kEachTime = std::chrono::milliseconds(100);
/// While a reply waits for its client.
constexpr Duration kLookForClient = std::chrono::milliseconds(5);
constexpr Duration kReplyPatience = std::chrono::seconds(10);
constexpr std::size_t kMostReplies = 1000;  ///< that wait
/// At the end, for clients that have not confirmed their replies.
constexpr Duration kEndPatience = std::chrono::seconds(1);

Qos served_qos() {
  rosbag2::QosProfile profile;
  profile.history = rosbag2::QosProfile::kKeepLast;
  profile.depth = kServiceDepth;
  Qos qos = writer_qos(profile);
  set_user_data(qos.get(), service_user_data(kServiceKey, make_service_id(), {}));
  return qos;
}

struct FreeEndpoint {
  void operator()(dds_builtintopic_endpoint_t* endpoint) const {
    dds_builtintopic_free_endpoint(endpoint);
  }
};
using EndpointPtr = std::unique_ptr<dds_builtintopic_endpoint_t, FreeEndpoint>;

}  // namespace

ServiceServer::ServiceServer(Participant& participant, const std::string& node,
                             std::vector<Service> services, std::function<void()> each_time)
    : participant_(participant),
      clock_(participant.clock()),
      wait_set_(participant.get()),
      each_time_(std::move(each_time)) {
  for (Service& service : services) {
    Served& served = served_.emplace_back(serve(std::move(service), node));
    served.has_requests = wait_set_.watch(served.reader);
    participant_.add_reader(served.reader);
    participant_.add_writer(served.writer);
  }
  if (!served_.empty()) takes_marks_ = MarkedSending::prepare(served_.front().reply_topic.type);
  participant_.announce();
  thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

ServiceServer::~ServiceServer() {
  thread_.request_stop();
  wait_set_.wake();
  if (thread_.joinable()) thread_.join();
  SteadyTime until = clock_.steady() + kEndPatience;
  for (const Served& served : served_) {
    if (served.sent == 0) continue;
    Duration left = std::max(until - clock_.steady(), Duration::zero());
    dds_wait_for_acks(served.writer.get(), left.count());
  }
}

ServiceServer::Served ServiceServer::serve(Service service, const std::string& node) const {
  Served served;
  std::string name = node + "/" + service.name;
  ServiceTopics topics = service_topics(name, service.type);
  dds_entity_t participant = participant_.get();
  served.request_topic =
      RawTopic::make(participant, topics.request, topics.request_type, false, clock_);
  served.reply_topic =
      RawTopic::make(participant, topics.reply, topics.response_type, false, clock_);
  Qos qos = served_qos();
  served.reader =
      Entity(dds_create_reader(participant, served.request_topic.entity.get(), qos.get(), nullptr),
             "service " + name);
  served.writer =
      Entity(dds_create_writer(participant, served.reply_topic.entity.get(), qos.get(), nullptr),
             "service " + name);
  served.service = std::move(service);
  return served;
}

void ServiceServer::run(const std::stop_token& stop) {
  SteadyTime next = clock_.steady();
  while (!stop.stop_requested()) {
    wait_set_.wait(replies_.empty() ? kEachTime : kLookForClient);
    for (Served& served : served_) take_requests(served, stop);
    send_replies(false);
    if (!each_time_ || clock_.steady() < next) continue;
    next = clock_.steady() + kEachTime;
    each_time_();
  }
  send_replies(true);
}

void ServiceServer::take_requests(Served& served, const std::stop_token& stop) {
  take_raw(served.reader.get(), [&](const RawSamplePtr& sample, const dds_sample_info_t& info) {
    try {
      answer(served, *sample, info, stop);
    } catch (const Error&) {
      // It is no request of this service, so there is nothing to reply.
    }
  });
}

void ServiceServer::answer(Served& served, const RawSample& sample, const dds_sample_info_t& info,
                           const std::stop_token& stop) {
  EndpointPtr asker(dds_get_matched_publication_data(served.reader.get(), info.publication_handle));
  if (!asker) return;  // it has gone
  Client client{guid_of(asker->key), guid_of(asker->participant_key),
                value_in(user_data_of(asker->qos), kClientKey)};
  std::optional<CalledPayload> called;
  if (is_cyclone(client.writer)) {
    called = without_call(sample.data());
    if (!called) return;
  }
  WireReader request(called ? ByteView(called->payload) : sample.data());
  WireWriter writer;
  served.service.answer(request, writer, stop);
  Payload payload = writer.take();
  if (called) payload = with_call(called->call, payload);
  if (replies_.size() >= kMostReplies) send_replies(true);
  replies_.push_back({&served, std::move(client), called ? 0 : sample.number, std::move(payload),
                      clock_.steady() + kReplyPatience});
}

void ServiceServer::send_replies(bool is_at_end) {
  std::erase_if(replies_, [&](const Reply& reply) {
    if (!is_at_end && clock_.steady() < reply.give_up && !hears(*reply.served, reply.client)) {
      return false;
    }
    send(*reply.served, reply);
    return true;
  });
}

bool ServiceServer::hears(const Served& served, const Client& client) {
  constexpr std::size_t kMost = 256;
  std::array<dds_instance_handle_t, kMost> readers{};
  dds_return_t count =
      dds_get_matched_subscriptions(served.writer.get(), readers.data(), readers.size());
  for (std::size_t i = 0; i < readers.size() && static_cast<dds_return_t>(i) < count; ++i) {
    EndpointPtr reader(dds_get_matched_subscription_data(served.writer.get(), readers[i]));
    if (!reader || guid_of(reader->participant_key) != client.participant) continue;
    if (client.id.empty()) return true;
    if (value_in(user_data_of(reader->qos), kClientKey) == client.id) return true;
  }
  return false;
}

void ServiceServer::send(Served& served, const Reply& reply) {
  if (reply.request_number != 0) {
    MarkedSending::add(
        {guid_of(served.writer.get()), served.sent + 1, reply.client.writer, reply.request_number});
  }
  if (write_raw(served.writer.get(), served.reply_topic, reply.payload) == DDS_RETCODE_OK) {
    ++served.sent;
  }
}

}  // namespace kitbag::ros2
