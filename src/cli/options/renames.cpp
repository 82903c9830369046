#include "cli/options/renames.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "cli/options/idle_options.h"
#include "cli/options/select.h"
#include "kitbag/error.h"
#include "kitbag/pipeline.h"

// Rules are turned into a plain table, old name to new name, before the first message: rename()
// looks up each channel once, and mistakes show at once. That takes all topics, which a pipe does
// not tell, so there only plain names work.

namespace kitbag::cli {
namespace {

// With two stars it would be open which of them a star of the new name stands for. Such a name is
// taken as it is, and is reported as a topic that no bag has.
bool is_pattern(const std::string& name) {
  return std::ranges::count(name, '*') == 1;
}

bool has_pattern(const std::pair<std::string, std::string>& rename) {
  return is_pattern(rename.first) && is_pattern(rename.second);
}

/// "/b/x" for the topic "/a/x" of "/a/*" to "/b/*"; nothing if it does not fit.
std::optional<std::string> fitted(const std::string& topic, const std::string& from,
                                  const std::string& to) {
  std::size_t star = from.find('*');
  std::string_view head = std::string_view(from).substr(0, star);
  std::string_view tail = std::string_view(from).substr(star + 1);
  bool fits =
      topic.size() >= head.size() + tail.size() && topic.starts_with(head) && topic.ends_with(tail);
  if (!fits) return std::nullopt;
  std::string between = topic.substr(head.size(), topic.size() - head.size() - tail.size());
  std::string made = to;
  return made.replace(to.find('*'), 1, between);
}

/// Names without a pattern.
std::map<std::string, std::string> plain_names(const Renames& renames, const Inputs& inputs) {
  std::map<std::string, std::string> names;
  for (const auto& rename : renames.topics) {
    if (has_pattern(rename)) continue;
    require_topic(rename.first, inputs.bags());
    if (names.insert(rename).second) continue;
    throw Error(ErrorCode::invalid, fmt::format("--rename gives {} two new names", rename.first));
  }
  return names;
}

void add_fitting(const Renames& renames, const std::set<std::string>& topics,
                 std::map<std::string, std::string>& names) {
  for (const auto& rename : renames.topics) {
    if (!has_pattern(rename)) continue;
    bool fits_any = false;
    for (const std::string& topic : topics) {
      auto name = fitted(topic, rename.first, rename.second);
      fits_any |= name.has_value();
      // Not assigned: what an earlier rule has named stays.
      if (name) names.emplace(topic, *name);
    }
    if (fits_any) continue;
    throw Error(ErrorCode::not_found, fmt::format("--rename: no topic fits {}", rename.first));
  }
}

}  // namespace

std::map<std::string, std::string> new_names(const Renames& renames, const Inputs& inputs) {
  auto names = plain_names(renames, inputs);
  bool needs_all = !renames.prefix.empty() || std::ranges::any_of(renames.topics, has_pattern);
  if (needs_all && inputs.has_stream()) {
    throw Error(ErrorCode::unsupported,
                "--prefix and patterns of --rename need all topics, but a pipe shows them one by "
                "one; save the bag to a file first",
                "-");
  }
  if (needs_all) {
    auto topics = known_topics(tables_of(inputs.bags()));
    add_fitting(renames, topics, names);
    for (const std::string& topic : topics) {
      if (renames.prefix.empty()) break;
      names.emplace(topic, topic).first->second.insert(0, renames.prefix);
    }
  }
  return names;
}

void warn_of_mixed_types(const Renames& renames, const Selection& selection, const Inputs& inputs,
                         const std::string& about) {
  if (!renames.any()) return;
  check_channels(inputs.bags(),
                 [names = new_names(renames, inputs), selection, about](const Tables& tables) {
                   warn_of_mixed_types(names, selection, tables, about);
                 });
}

std::unique_ptr<Source> renamed(std::unique_ptr<Source> source, const Renames& renames,
                                const Inputs& inputs) {
  if (!renames.any()) return source;
  return through(std::move(source), rename(new_names(renames, inputs)));
}

}  // namespace kitbag::cli
