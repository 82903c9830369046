#pragma once

#include <map>
#include <memory>
#include <string>

#include "kitbag/registry.h"
#include "kitbag/stream.h"

namespace kitbag::ros2 {

/// The type hashes of definitions that are installed: in KITBAG_DEFINITIONS, ROS_PACKAGE_PATH,
/// AMENT_PREFIX_PATH and /usr/share. One thread.
class TypeHashes {
 public:
  /// `registry` must outlive it.
  explicit TypeHashes(const Registry& registry) : registry_(registry) {}

  /// Of "package/msg/Type"; "": it is not installed.
  std::string of(const std::string& type);

 private:
  const Registry& registry_;
  std::unique_ptr<Stage> installed_;
  std::map<std::string, std::string> known_;  ///< by type
};

}  // namespace kitbag::ros2
