#pragma once

#include <functional>
#include <optional>
#include <string>

namespace kitbag::ros2msg {

/// The text of the message of that full name ("std_msgs/msg/Header") alone, or nothing.
using FindText = std::function<std::optional<std::string>(const std::string& name)>;

/// `text`, the definition of `name`, with those of all nested types behind it, as rosbag2 writes
/// it: depth first, each once, under `MSG: package/Type`. Throws Error: not_found for a nested type
/// that `find` does not know, corrupt for a text that does not parse.
std::string full_text(const std::string& name, const std::string& text, const FindText& find);

}  // namespace kitbag::ros2msg
