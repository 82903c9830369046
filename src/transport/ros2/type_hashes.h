#pragma once

#include <map>
#include <memory>
#include <string>

#include "kitbag/session.h"
#include "kitbag/stream.h"

namespace kitbag::ros2 {

/// The type hashes of definitions that are installed: in KITBAG_DEFINITIONS, ROS_PACKAGE_PATH,
/// AMENT_PREFIX_PATH and /usr/share. One thread.
class TypeHashes {
 public:
  explicit TypeHashes(const Session& session) : session_(session) {}

  /// Of "package/msg/Type"; "": it is not installed.
  std::string of(const std::string& type);

 private:
  Session session_;
  std::unique_ptr<Stage> installed_;
  std::map<std::string, std::string> known_;  ///< by type
};

}  // namespace kitbag::ros2
