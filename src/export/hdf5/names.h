#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace kitbag::hdf5 {

/// A name that libhdf5 and its readers take: "/" and control characters become "%" and two
/// hexadecimal digits, and so does the only "." of a name; bytes that are not UTF-8 become U+FFFD.
std::string link_name(std::string_view name);

/// The names in one group.
class Names {
 public:
  /// Takes a name that is like `name` and is not taken: as long as it is, it gets "_" behind it.
  std::string take(std::string_view name);
  bool has(const std::string& name) const { return taken_.contains(name); }

 private:
  std::set<std::string> taken_;
};

/// Where topics are: each is a group, "/camera/image". A topic may be inside of another one,
/// "/camera", where a field must not have its name. Topics that are announced have theirs before
/// the fields of others.
class TopicGroups {
 public:
  void announce(const std::string& topic) { groups_of(topic); }
  /// Returns the names of the groups from the root to the topic. Throws Error (invalid) if the name
  /// of the topic is too long.
  const std::vector<std::string>& groups_of(const std::string& topic);
  /// The names in the group of a topic, for its fields.
  Names& names_in(const std::string& topic);

 private:
  struct Group {
    std::map<std::string, Group> groups;
    Names names;  ///< of groups and fields
    bool is_topic = false;
  };
  struct Place {
    std::vector<std::string> path;
    Group* group = nullptr;
  };

  Place& place_of(const std::string& topic);

  Group root_;
  std::map<std::string, Place> places_;  ///< by topic
};

}  // namespace kitbag::hdf5
