#include "cli/options/definitions.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <map>

#include "cli/terminal/print.h"
#include "kitbag/session.h"

namespace kitbag::cli {
namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

DefinitionEnvironment environment() {
  return {.kitbag_definitions = variable("KITBAG_DEFINITIONS"),
          .ros_package_path = variable("ROS_PACKAGE_PATH"),
          .ament_prefix_path = variable("AMENT_PREFIX_PATH")};
}

/// "a, b, c and 4 more".
std::string some_of(const std::vector<std::string>& names) {
  constexpr std::size_t kMostNamed = 4;
  std::size_t named = names.size() > kMostNamed ? kMostNamed - 1 : names.size();
  auto end = names.begin() + static_cast<std::ptrdiff_t>(named);
  std::string text = fmt::format("{}", fmt::join(names.begin(), end, ", "));
  return named == names.size() ? text : fmt::format("{} and {} more", text, names.size() - named);
}

}  // namespace

Definitions::Definitions(const std::vector<std::string>& folders, const Session& session)
    : paths_(definition_paths(folders, environment())),
      session_(session),
      is_asked_for_(!folders.empty()) {}

std::unique_ptr<Source> Definitions::supply(std::unique_ptr<Source> source) {
  auto note = [this](const DefinitionNews& news) {
    auto is_same = [&](const DefinitionNews& each) { return each.text == news.text; };
    if (std::none_of(news_.begin(), news_.end(), is_same)) news_.push_back(news);
  };
  return through(std::move(source), define(paths_, session_, note));
}

void Definitions::warn(const std::string& about) const {
  using Outcome = DefinitionNews::Outcome;
  std::map<std::string, std::vector<std::string>> assumed;  // types, by release of ROS
  for (const DefinitionNews& each : news_) {
    bool is_failure = each.outcome == Outcome::refused || each.outcome == Outcome::missing;
    bool is_assumed = each.outcome == Outcome::assumed;
    if (is_assumed && !each.release.empty()) {
      assumed[each.release].push_back(each.type);
    } else if (is_assumed || (is_failure && is_asked_for_)) {
      print_warning(about + each.text);
    }
  }
  for (const auto& [release, types] : assumed) {
    print_warning(about +
                  fmt::format("the bag does not identify its version of {}; using that of {}",
                              some_of(types), release));
  }
}

}  // namespace kitbag::cli
