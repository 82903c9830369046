#include "language/ros2msg/sections.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/lines.h"
#include "kitbag/error.h"
#include "language/ros/definition_text.h"
#include "language/ros/names.h"
#include "language/ros2msg/parser.h"

// The text of a channel, as rosbag2 stores it (the first section has no head, or is empty):
//
//     geometry_msgs/Pose pose
//     ================================================================================
//     MSG: geometry_msgs/Pose
//     ...
//
//     ================================================================================
//     SRV: example_interfaces/srv/AddTwoInts
//     int64 a
//     ---
//     int64 sum
//
// In the second form the channel is one of the messages of the service (AddTwoInts_Event), and the
// section says which service that is. A line of '=' alone is no separator: only the head below it
// makes it one.

namespace kitbag::ros2msg {

namespace {

/// What follows a separator: "MSG: pkg/Type", "SRV: pkg/srv/Type", "ACTION: pkg/action/Type".
std::optional<Section> section_head(std::string_view line) {
  struct Head {
    std::string_view word;
    SectionKind kind;
  };
  constexpr std::array<Head, 3> kHeads = {{{"MSG:", SectionKind::message},
                                           {"SRV:", SectionKind::service},
                                           {"ACTION:", SectionKind::action}}};
  for (const Head& head : kHeads) {
    if (!line.starts_with(head.word)) continue;
    Section section;
    section.kind = head.kind;
    section.name = ros::full_name(trimmed(line.substr(head.word.size())));
    return section;
  }
  return std::nullopt;
}

/// A section without a head: its lines show its kind, and `name` may be the name of a part.
void name_main(Section& section, std::string_view name) {
  section.name = ros::full_name(name);
  auto parts = std::count_if(section.lines.begin(), section.lines.end(),
                             [](std::string_view line) { return without_comment(line) == "---"; });
  if (parts == 0) return;
  section.kind = parts == 1 ? SectionKind::service : SectionKind::action;
  section.name = ros::whole_name(section.name);
}

}  // namespace

std::string_view without_comment(std::string_view line) {
  char quote = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    char c = line[i];
    if (quote != 0 && c == '\\') {
      ++i;
    } else if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '\'' || c == '"') {
      // An apostrophe in a comment, or one that nothing closes, hides nothing.
      if (line.find(c, i + 1) != std::string_view::npos) quote = c;
    } else if (c == '#') {
      return trimmed(line.substr(0, i));
    }
  }
  return trimmed(line);
}

std::vector<Section> sections_of(std::string_view name, std::string_view text) {
  if (text.size() > kMaxTextBytes) {
    throw Error(ErrorCode::corrupt, fmt::format("definition of {}: it has more than {} bytes",
                                                printable(name), kMaxTextBytes));
  }
  std::vector<Section> sections(1);
  auto lines = lines_of(text);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    bool is_separator = ros::is_separator(lines[i]) && i + 1 < lines.size();
    auto head = is_separator ? section_head(lines[i + 1]) : std::nullopt;
    if (!head) {
      sections.back().lines.push_back(lines[i]);
      continue;
    }
    if (sections.size() == kMaxDefinitions) {
      throw Error(ErrorCode::corrupt, fmt::format("definition of {}: more than {} messages",
                                                  printable(name), kMaxDefinitions));
    }
    ++i;
    head->first_line = i + 2;
    sections.push_back(std::move(*head));
  }
  name_main(sections.front(), name);
  return sections;
}

}  // namespace kitbag::ros2msg
