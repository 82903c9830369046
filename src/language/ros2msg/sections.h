#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace kitbag::ros2msg {

enum class SectionKind { message, service, action };

/// The lines of a text that define one message, service or action.
struct Section {
  SectionKind kind = SectionKind::message;
  std::string name;  ///< "std_msgs/msg/Header"
  std::size_t first_line = 1;
  std::vector<std::string_view> lines;
};

/// The section of `name`, and those behind separators; they point into `text`. Throws Error
/// (corrupt) for a text that is too long or has too many.
std::vector<Section> sections_of(std::string_view name, std::string_view text);

/// What is left of a line before '#', which begins a comment except inside of quotes.
std::string_view without_comment(std::string_view line);

}  // namespace kitbag::ros2msg
