#include "definitions/standard_definitions.h"

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <utility>

// Bags of rosbag2 before Iron and the oldest bags of ROS 1 name the types of their messages and do
// not define them. Most of these types are the standard ones, so a machine without ROS can decode
// them all the same. standard/definitions.txt holds them: "@ LANGUAGE RELEASE" begins a release,
// "= PACKAGE/FOLDER/FILE" a definition; no definition has a line that begins so. standard/make.py
// writes it.

namespace kitbag {
namespace {

constexpr std::string_view kText =
#include "definitions/standard/definitions.txt"
    ;

/// By language and path of the file.
using Table = std::map<std::pair<std::string_view, std::string_view>,
                       std::vector<StandardDefinition>, std::less<>>;

std::string_view take_line(std::string_view& rest) {
  std::size_t end = std::min(rest.find('\n'), rest.size());
  std::string_view line = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return line;
}

Table read_table() {
  Table table;
  std::size_t releases = 0;
  std::string_view language;
  std::string_view release;
  std::string_view rest = kText;
  while (!rest.empty()) {
    std::string_view line = take_line(rest);
    if (line.starts_with("@ ")) {
      line.remove_prefix(2);
      language = line.substr(0, line.find(' '));
      release = line.substr(language.size() + 1);
      ++releases;
    } else if (line.starts_with("= ")) {
      const char* begin = rest.data();
      while (!rest.empty() && rest.front() != '=' && rest.front() != '@') take_line(rest);
      std::string_view text(begin, static_cast<std::size_t>(rest.data() - begin));
      table[{language, line.substr(2)}].push_back({releases, release, text});
    }
  }
  return table;
}

}  // namespace

const std::vector<StandardDefinition>& standard_definitions(std::string_view language,
                                                            const DefinitionPlace& place) {
  static const Table table = read_table();
  static const std::vector<StandardDefinition> none;
  std::string path = place.package + '/' + place.folder + '/' + place.file;
  auto found = table.find(std::pair(language, std::string_view(path)));
  return found == table.end() ? none : found->second;
}

}  // namespace kitbag
