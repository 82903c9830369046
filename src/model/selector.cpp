#include "kitbag/selector.h"

#include <fmt/format.h>
#include <fnmatch.h>
#include <re2/re2.h>

#include <algorithm>

#include "kitbag/calls.h"
#include "kitbag/error.h"

// Patterns are compiled once, and copies of a Selector share them; matching changes nothing, so any
// thread may do it.
//
// A glob is one of fnmatch(3) without flags: `*` goes across `/`, so that "/camera/*" is all that
// lies below. What equals a topic letter by letter matches it, even if it has a bracket in it that
// nothing closes. Regular expressions must match the whole topic and are RE2's, as they may come
// from a web request (decision 004).

namespace kitbag {
namespace {

using Expressions = std::vector<std::unique_ptr<const RE2>>;

Expressions compile(const std::vector<std::string>& patterns) {
  RE2::Options options;
  options.set_log_errors(false);
  Expressions expressions;
  expressions.reserve(patterns.size());
  for (const std::string& pattern : patterns) {
    auto expression = std::make_unique<const RE2>(pattern, options);
    if (!expression->ok()) {
      throw Error(ErrorCode::invalid, fmt::format("invalid regular expression \"{}\": {}", pattern,
                                                  expression->error()));
    }
    expressions.push_back(std::move(expression));
  }
  return expressions;
}

bool matches_any(const std::vector<std::string>& globs, const std::string& name) {
  return std::any_of(globs.begin(), globs.end(),
                     [&](const std::string& glob) { return matches_glob(glob, name); });
}

/// The services inside an action, "/dock/_action/send_goal", are parts of it. So a glob for
/// services, "*/_service_event", leaves them to one for actions.
bool matches_topic(const std::string& glob, const std::string& topic) {
  if (!matches_glob(glob, topic)) return false;
  bool is_of_services =
      glob.ends_with(kServiceEventSuffix) && glob.find(kActionFolder) == std::string::npos;
  return !is_of_services || topic.find(kActionFolder) == std::string::npos;
}

bool matches_any_topic(const std::vector<std::string>& globs, const std::string& topic) {
  return std::any_of(globs.begin(), globs.end(),
                     [&](const std::string& glob) { return matches_topic(glob, topic); });
}

bool matches_any(const Expressions& expressions, const std::string& name) {
  return std::any_of(expressions.begin(), expressions.end(),
                     [&](const auto& expression) { return RE2::FullMatch(name, *expression); });
}

}  // namespace

bool matches_glob(const std::string& glob, const std::string& name) {
  return glob == name || fnmatch(glob.c_str(), name.c_str(), 0) == 0;
}

struct Selector::Compiled {
  Selection names;
  Expressions topics;
  Expressions exclude;

  bool includes(const std::string& topic) const {
    if (names.topics.empty() && topics.empty()) return true;
    return matches_any_topic(names.topics, topic) || matches_any(topics, topic);
  }
  bool excludes(const std::string& topic) const {
    return matches_any_topic(names.exclude, topic) || matches_any(exclude, topic);
  }
};

Selector::Selector(const Selection& selection)
    : compiled_(
          std::make_shared<const Compiled>(Compiled{selection, compile(selection.topic_expressions),
                                                    compile(selection.exclude_expressions)})) {}

bool Selector::matches(const Channel& channel) const {
  return matches(channel.topic, channel.type());
}

bool Selector::matches(const std::string& topic, const std::string& type) const {
  const auto& types = compiled_->names.types;
  return compiled_->includes(topic) && !compiled_->excludes(topic) &&
         (types.empty() || matches_any(types, type));
}

}  // namespace kitbag
