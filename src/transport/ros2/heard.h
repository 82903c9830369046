#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "kitbag/message.h"
#include "kitbag/rosbag2.h"
#include "transport/ros2/arrivals.h"
#include "transport/ros2/entity.h"
#include "transport/ros2/names.h"
#include "transport/ros2/qos.h"
#include "transport/ros2/raw_type.h"

// What a subscriber knows of the topics that it listens to.

namespace kitbag::ros2 {

struct Topic;

struct Reader {
  Topic* topic = nullptr;
  Offer offer;
  Entity entity;
  Entity has_samples;  ///< a condition; nothing as long as the samples wait
};

/// A publisher.
struct Talker {
  Guid guid{};  ///< zeros: it has not been heard of, but a message of it has come
  Offer offer;  ///< then a default
  Arrivals arrivals;
};

struct Topic {
  TopicName name;
  bool is_keyed = false;
  RawTopic raw;
  bool has_override = false;
  std::vector<rosbag2::QosProfile> profiles;  ///< of each publisher
  std::set<Offer> offers;                     ///< of all publishers
  std::string type_hash;
  bool is_xcdr2 = false;
  std::optional<Guid> source;  ///< a publisher whose node can give the definition
  SchemaPtr definition;        ///< null: none so far
  ChannelPtr channel;          ///< null: not declared yet
  std::uint32_t sequence = 0;  ///< of the next message: each publisher has numbers of its own
  SteadyTime settled;
  SteadyTime give_up;          ///< waiting for it
  std::deque<Reader> readers;  ///< places stay
  std::map<dds_instance_handle_t, Talker> talkers;
};

}  // namespace kitbag::ros2
