#include "transport/ros2/type_hashes.h"

#include "kitbag/definitions.h"
#include "transport/ros2/settings.h"

namespace kitbag::ros2 {

std::string TypeHashes::of(const std::string& type) {
  auto [known, is_new] = known_.try_emplace(type);
  if (!is_new) return known->second;
  if (!installed_) {
    installed_ = define(
        definition_paths({}, {environment("KITBAG_DEFINITIONS"), environment("ROS_PACKAGE_PATH"),
                              environment("AMENT_PREFIX_PATH")}),
        session_);
  }
  auto channel = std::make_shared<Channel>();
  channel->encoding = "cdr";
  channel->schema = std::make_shared<const Schema>(Schema{type, {}, {}});
  ChannelPtr defined = installed_->map(channel);
  auto hash = defined->metadata.find("topic_type_hash");
  if (hash != defined->metadata.end()) known->second = hash->second;
  return known->second;
}

}  // namespace kitbag::ros2
