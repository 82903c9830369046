#include "transport/ros2/wait_set.h"

#include <array>

namespace kitbag::ros2 {

WaitSet::WaitSet(dds_entity_t participant)
    : waiting_(dds_create_waitset(participant), "wait set"),
      awake_(dds_create_guardcondition(participant), "condition") {
  require(dds_waitset_attach(waiting_.get(), awake_.get(), 0), "watch a condition");
}

Entity WaitSet::watch(const Entity& reader) const {
  Entity condition(dds_create_readcondition(reader.get(), DDS_ANY_STATE), "condition");
  require(dds_waitset_attach(waiting_.get(), condition.get(), 0), "watch a reader");
  return condition;
}

bool WaitSet::wait(Duration patience) const {
  std::array<dds_attach_t, 1> events{};  // which they are does not matter
  dds_return_t count = dds_waitset_wait(waiting_.get(), events.data(), events.size(),
                                        static_cast<dds_duration_t>(patience.count()));
  require(count, "wait for samples");
  return count > 0;
}

}  // namespace kitbag::ros2
