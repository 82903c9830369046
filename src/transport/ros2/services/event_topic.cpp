#include "transport/ros2/services/event_topic.h"

#include "transport/ros2/names.h"
#include "transport/ros2/qos.h"

namespace kitbag::ros2 {

namespace {

constexpr std::uint64_t kEventDepth = 10;

Qos event_qos() {
  rosbag2::QosProfile profile;
  profile.history = rosbag2::QosProfile::kKeepLast;
  profile.depth = kEventDepth;
  Qos qos = writer_qos(profile);
  set_user_data(qos.get(), endpoint_user_data({}));
  return qos;
}

}  // namespace

EventTopic::EventTopic(Participant& participant, const std::string& topic, const std::string& type)
    : topic_(RawTopic::make(participant.get(), dds_topic(topic), dds_type(type), false,
                            participant.clock())),
      writer_(dds_create_writer(participant.get(), topic_.entity.get(), event_qos().get(), nullptr),
              "writer of " + topic) {
  participant.add_writer(writer_);
}

}  // namespace kitbag::ros2
