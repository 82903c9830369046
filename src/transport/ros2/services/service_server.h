#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "transport/ros2/participant.h"
#include "transport/ros2/raw_type.h"
#include "transport/ros2/rpc.h"
#include "transport/ros2/services/service.h"
#include "transport/ros2/wait_set.h"

namespace kitbag::ros2 {

/// Serves clients on Cyclone DDS and on Fast DDS. One thread answers, one request after another.
class ServiceServer {
 public:
  /// `services` are those of the node `node`, "/recorder". `each_time` is called on the server's
  /// thread ten times a second; empty: it is not. `participant` must outlive it, and is told of the
  /// endpoints. Throws Error (io).
  ServiceServer(Participant& participant, const std::string& node, std::vector<Service> services,
                std::function<void()> each_time = {});
  /// Answers are given up; what has been answered is delivered, for up to a second.
  ~ServiceServer();

 private:
  struct Served {
    Service service;
    RawTopic request_topic;
    RawTopic reply_topic;
    Entity reader;
    Entity writer;
    Entity has_requests;
    std::uint64_t sent = 0;  ///< replies
  };
  /// Who has asked.
  struct Client {
    Guid writer{};       ///< of the request
    Guid participant{};  ///< where its reader is too
    std::string id;      ///< that both tell; empty: they tell none
  };
  struct Reply {
    Served* served;
    Client client;
    std::uint64_t request_number;
    Payload payload;
    SteadyTime give_up;
  };

  Served serve(Service service, const std::string& node) const;
  void run(const std::stop_token& stop);
  void take_requests(Served& served, const std::stop_token& stop);
  void answer(Served& served, const RawSample& sample, const dds_sample_info_t& info,
              const std::stop_token& stop);
  void send_replies(bool is_at_end);
  static bool hears(const Served& served, const Client& client);
  static void send(Served& served, const Reply& reply);

  Participant& participant_;
  const Clock& clock_;
  WaitSet wait_set_;
  std::deque<Served> served_;
  std::deque<Reply> replies_;
  std::function<void()> each_time_;
  bool takes_marks_ = false;
  std::jthread thread_;  ///< last: it uses the rest
};

}  // namespace kitbag::ros2
