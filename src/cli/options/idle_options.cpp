#include "cli/options/idle_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "cli/terminal/print.h"
#include "kitbag/calls.h"
#include "kitbag/selector.h"
#include "kitbag/text.h"

namespace kitbag::cli {

namespace {

constexpr std::size_t kMostSimilarNames = 3;

/// What --exclude and its kin were given, and what it may have meant. Services and actions have
/// become patterns of topics.
struct Exclusion {
  std::string option;
  std::string name;
  std::set<std::string> known;
};

std::set<std::string> calls_of(CallTopic::Of kind, const Tables& tables) {
  std::set<std::string> names;
  for (const ChannelsPtr& table : tables) {
    for (const ChannelPtr& channel : *table) {
      auto call = channel ? call_topic(*channel) : std::nullopt;
      if (call && call->of == kind) names.insert(call->name);
    }
  }
  return names;
}

Exclusion exclusion_of(const std::string& pattern, const Tables& tables) {
  using Of = CallTopic::Of;
  if (std::size_t at = pattern.find(kActionFolder); at != std::string::npos) {
    return {"--exclude-actions", pattern.substr(0, at), calls_of(Of::action, tables)};
  }
  if (pattern.ends_with(kServiceEventSuffix)) {
    return {"--exclude-services", pattern.substr(0, pattern.size() - kServiceEventSuffix.size()),
            calls_of(Of::service, tables)};
  }
  return {"--exclude", pattern, known_topics(tables)};
}

}  // namespace

void warn_of_idle_excludes(const Selection& selection, const Tables& tables,
                           const std::string& about) {
  std::set<std::string> topics = known_topics(tables);
  if (topics.empty()) return;
  auto warn = [&](const Selection& alone, const Exclusion& exclusion) {
    Selector selector(alone);
    // A selection that only excludes matches every topic but those that it excludes.
    bool excludes_any = std::any_of(topics.begin(), topics.end(), [&](const std::string& topic) {
      return !selector.matches(topic, {});
    });
    if (excludes_any) return;
    const auto& known = exclusion.known;
    auto similar = nearest_texts(exclusion.name, {known.begin(), known.end()}, kMostSimilarNames);
    print_warning(fmt::format(
        "{}no topic matches {} \"{}\"{}; nothing is excluded by it", about, exclusion.option,
        exclusion.name,
        similar.empty() ? std::string() : fmt::format("; similar: {}", fmt::join(similar, ", "))));
  };
  for (const std::string& each : selection.exclude) {
    warn({.exclude = {each}}, exclusion_of(each, tables));
  }
  for (const std::string& each : selection.exclude_expressions) {
    warn({.exclude_expressions = {each}}, {"--exclude-regex", each, topics});
  }
}

void warn_of_idle_chunk_sizes(const std::vector<TopicChunks>& chunks, const Channels& channels,
                              const std::string& about) {
  for (const TopicChunks& each : chunks) {
    bool is_used = std::any_of(channels.begin(), channels.end(), [&](const ChannelPtr& channel) {
      return channel && matches_glob(each.topics, channel->topic);
    });
    if (is_used) continue;
    print_warning(fmt::format("{}no topic matches \"{}\" of --chunk-size", about, each.topics));
  }
}

void warn_of_mixed_types(const std::map<std::string, std::string>& names,
                         const Selection& selection, const Tables& tables,
                         const std::string& about) {
  Selector selector(selection);
  // Names that nobody has changed may have several types in the bag; that is not told here.
  std::map<std::string, std::map<std::string, std::string>> topics;  // old ones, by name and type
  std::set<std::string> new_names;
  for (const ChannelsPtr& table : tables) {
    for (const ChannelPtr& channel : *table) {
      if (!channel || !selector.matches(*channel)) continue;
      auto renamed = names.find(channel->topic);
      bool is_renamed = renamed != names.end();
      const std::string& name = is_renamed ? renamed->second : channel->topic;
      if (is_renamed) new_names.insert(name);
      topics[name].emplace(channel->type(), channel->topic);
    }
  }
  for (const std::string& name : new_names) {
    if (topics[name].size() < 2) continue;
    std::vector<std::string> types;
    for (const auto& [type, topic] : topics[name]) types.push_back(type + " of " + topic);
    print_warning(fmt::format("{}--rename: {} gets messages of {} types: {}", about, name,
                              types.size(), fmt::join(types, ", ")));
  }
}

}  // namespace kitbag::cli
