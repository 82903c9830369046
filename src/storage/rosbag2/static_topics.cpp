#include <fmt/format.h>

#include "base/yaml.h"
#include "kitbag/error.h"
#include "kitbag/rosbag2.h"

namespace kitbag::rosbag2 {

std::vector<ExpectedTopic> parse_static_topics(std::string_view text) {
  constexpr const char* kList = "static_topics_and_types_list";
  std::vector<ExpectedTopic> topics;
  const Yaml all = load_yaml(text);
  const Yaml& list = all[kList];
  if (!list.is_list()) {
    throw Error(ErrorCode::corrupt, fmt::format("the list \"{}\" is missing", kList));
  }
  for (const Yaml& entry : list.parts) {
    bool is_pair = entry.is_list() && entry.parts.size() == 2 && entry.parts[0].is_scalar() &&
                   entry.parts[1].is_scalar();
    if (!is_pair) throw Error(ErrorCode::corrupt, "expected entries of the form [TOPIC, TYPE]");
    topics.push_back({entry.parts[0].scalar, entry.parts[1].scalar});
  }
  return topics;
}

}  // namespace kitbag::rosbag2
