#include "export/hdf5/names.h"

#include <fmt/format.h>

#include "kitbag/error.h"
#include "kitbag/escape.h"

// "/camera/image" is the group "image" in the group "camera". A topic may have others below it, so
// its fields share their names with these groups, and a name that is taken gets "_" behind it.
// Topics that are known at the beginning are announced before any field (announce()): so they keep
// their names whichever has the first message.

namespace kitbag::hdf5 {
namespace {

constexpr std::size_t kLongestTopic = 1000;
constexpr std::size_t kDeepestTopic = 50;

/// "camera" and "image" of "/camera/image".
std::vector<std::string> parts_of(std::string_view topic) {
  std::vector<std::string> parts;
  while (!topic.empty()) {
    std::size_t slash = topic.find('/');
    std::string_view part = topic.substr(0, slash);
    if (!part.empty()) parts.push_back(link_name(part));
    topic.remove_prefix(slash == std::string_view::npos ? topic.size() : slash + 1);
  }
  if (parts.empty()) parts.emplace_back("topic");
  return parts;
}

}  // namespace

std::string link_name(std::string_view name) {
  std::string safe;
  for (char c : valid_utf8(name)) {
    bool is_control = static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
    if (c == '/' || is_control || (c == '.' && name.size() == 1)) {
      safe += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    } else {
      safe += c;
    }
  }
  return safe.empty() ? "_" : safe;
}

std::string Names::take(std::string_view name) {
  std::string free = link_name(name);
  while (!taken_.insert(free).second) free += '_';
  return free;
}

const std::vector<std::string>& TopicGroups::groups_of(const std::string& topic) {
  return place_of(topic).path;
}

Names& TopicGroups::names_in(const std::string& topic) {
  return place_of(topic).group->names;
}

TopicGroups::Place& TopicGroups::place_of(const std::string& topic) {
  auto [found, is_new] = places_.try_emplace(topic);
  Place& place = found->second;
  if (!is_new) return place;
  std::vector<std::string> parts = parts_of(topic);
  if (topic.size() > kLongestTopic || parts.size() > kDeepestTopic) {
    throw Error(ErrorCode::invalid,
                fmt::format("the name of the topic {} is too long for a group; leave the topic "
                            "out or rename it",
                            topic));
  }
  place.group = &root_;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    std::string name = parts[i];
    auto group = place.group->groups.find(name);
    bool is_last = i + 1 == parts.size();
    // A name that is taken and no group is a field.
    while (group == place.group->groups.end() ? place.group->names.has(name)
                                              : is_last && group->second.is_topic) {
      name += '_';
      group = place.group->groups.find(name);
    }
    if (group == place.group->groups.end()) {
      place.group->names.take(name);
      group = place.group->groups.try_emplace(name).first;
    }
    place.path.push_back(name);
    place.group = &group->second;
  }
  place.group->is_topic = true;
  return place;
}

}  // namespace kitbag::hdf5
