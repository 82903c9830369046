#include "transport/ros1/node.h"

#include <ros/master.h>

#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string_view>

#include "kitbag/error.h"
#include "transport/ros1/master.h"

// roscpp keeps the node and the master's address in globals, so ros::init() is called once in a
// process. A second master is refused, and everybody shares one NodeHandle; the node leaves the
// master when the last one lets go of it. The name is made anonymous, because a master ends the
// older one of two nodes of one name: a second recorder would end the first.

namespace kitbag::ros1 {

namespace {

std::string master_of(const Settings& settings) {
  if (!settings.master.empty()) return settings.master;
  const char* environment = std::getenv("ROS_MASTER_URI");
  return environment && *environment ? environment : "http://localhost:11311";
}

/// roscpp ends the process where it cannot make sense of it.
void require_address(const std::string& master, const Settings& settings) {
  constexpr std::string_view kScheme = "http://";
  std::string_view rest = master;
  std::size_t colon = rest.rfind(':');
  bool is_sound =
      rest.starts_with(kScheme) && colon != std::string_view::npos && colon > kScheme.size();
  std::string_view port = is_sound ? rest.substr(colon + 1) : std::string_view();
  if (port.ends_with('/')) port.remove_suffix(1);
  unsigned number = 0;
  auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), number);
  is_sound &= error == std::errc() && end == port.data() + port.size() && number > 0 &&
              number <= UINT16_MAX;
  if (is_sound) return;
  throw Error(ErrorCode::invalid,
              "\"" + master + "\" is not the URI of a ROS master; expected http://HOST:PORT",
              settings.uri);
}

}  // namespace

Settings Settings::of(const Location& location) {
  Settings settings;
  settings.uri = location.uri;
  if (!location.path.empty()) settings.master = "http://" + location.path;
  for (const auto& [name, value] : location.parameters) {
    if (name != "node" || value.empty()) {
      throw Error(ErrorCode::invalid,
                  "unknown parameter of ros1://; expected node=NAME, got " + name, location.uri);
    }
    settings.node = value;
  }
  return settings;
}

std::shared_ptr<ros::NodeHandle> node_of(const Settings& settings) {
  static std::mutex mutex;
  static std::string known_master;
  static std::weak_ptr<ros::NodeHandle> known;
  std::lock_guard lock(mutex);
  std::string master = master_of(settings);
  require_address(master, settings);
  if (!known_master.empty() && known_master != master) {
    throw Error(ErrorCode::invalid,
                "a process can use only one ROS master, and this one already uses " + known_master,
                settings.uri);
  }
  if (known_master.empty()) {
    // The program handles signals itself, and a recorder must not publish on /rosout while
    // recording.
    ros::init(std::map<std::string, std::string>{{"__master", master}}, settings.node,
              ros::init_options::NoSigintHandler | ros::init_options::AnonymousName |
                  ros::init_options::NoRosout);
    // Registering at a master that has just gone is given up soon.
    ros::master::setRetryTimeout(ros::WallDuration(kMasterPatienceMs / 1000.0));
    known_master = master;
  }
  if (!has_master()) {
    throw Error(ErrorCode::io,
                "no ROS master is running at " + master + "; start roscore, or set ROS_MASTER_URI",
                settings.uri);
  }
  auto held = hold_master();
  std::shared_ptr<ros::NodeHandle> node = known.lock();
  if (!node) known = node = std::make_shared<ros::NodeHandle>();
  return node;
}

}  // namespace kitbag::ros1
