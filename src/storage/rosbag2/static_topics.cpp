#include <fmt/format.h>

#include "kitbag/error.h"
#include "kitbag/rosbag2.h"
#include "storage/rosbag2/yaml.h"

namespace kitbag::rosbag2 {

std::vector<ExpectedTopic> parse_static_topics(std::string_view text) {
  constexpr const char* kList = "static_topics_and_types_list";
  std::vector<ExpectedTopic> topics;
  const YAML::Node all = load_yaml(text);
  try {
    const YAML::Node list = all[kList];
    if (!list || !list.IsSequence()) {
      throw Error(ErrorCode::corrupt, fmt::format("it has no list \"{}\"", kList));
    }
    for (const YAML::Node& entry : list) {
      if (!entry.IsSequence() || entry.size() != 2) {
        throw Error(ErrorCode::corrupt, "an entry is not [TOPIC, TYPE]");
      }
      topics.push_back({entry[0].Scalar(), entry[1].Scalar()});
    }
  } catch (const YAML::Exception& error) {
    throw Error(ErrorCode::corrupt, fmt::format("no list of topics: {}", error.what()));
  }
  return topics;
}

}  // namespace kitbag::rosbag2
