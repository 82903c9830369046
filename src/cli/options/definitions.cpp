#include "cli/options/definitions.h"

#include <algorithm>
#include <cstdlib>

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

}  // namespace

Definitions::Definitions(const std::vector<std::string>& folders, const Session& session)
    : paths_(definition_paths(folders, environment())),
      session_(session),
      is_asked_for_(!folders.empty()) {}

OnDefinition Definitions::listener() {
  return [this](const DefinitionNews& news) {
    auto is_same = [&](const DefinitionNews& each) { return each.text == news.text; };
    if (std::none_of(news_.begin(), news_.end(), is_same)) news_.push_back(news);
  };
}

BagPtr Definitions::supply(BagPtr bag) {
  return defined(std::move(bag), paths_, session_, listener());
}

std::unique_ptr<Source> Definitions::supply(std::unique_ptr<Source> source) {
  return through(std::move(source), define(paths_, session_, listener()));
}

void Definitions::warn(const std::string& about) const {
  using Outcome = DefinitionNews::Outcome;
  for (const DefinitionNews& each : news_) {
    // Where nobody asked for definitions, one that is missing is no news: the warning about
    // messages that could not be decoded says it.
    bool is_failure = each.outcome == Outcome::refused || each.outcome == Outcome::missing;
    if (is_failure && is_asked_for_) print_warning(about + each.text);
  }
  for (const std::string& line : describe_assumptions(news_)) print_warning(about + line);
}

}  // namespace kitbag::cli
