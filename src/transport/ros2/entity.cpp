#include "transport/ros2/entity.h"

#include "kitbag/error.h"

namespace kitbag::ros2 {

void require(dds_return_t result, const std::string& what) {
  if (result >= 0) return;
  throw Error(ErrorCode::io, "cannot " + what + ": " + dds_strretcode(result), "ros2://");
}

Entity::Entity(dds_entity_t handle, const std::string& what) : handle_(handle) {
  require(handle, "create " + what);
}

}  // namespace kitbag::ros2
