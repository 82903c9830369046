#include "server/api/parameters.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "kitbag/error.h"
#include "kitbag/escape.h"
#include "kitbag/fields.h"
#include "kitbag/selector.h"
#include "kitbag/text.h"
#include "kitbag/transcode.h"
#include "server/bags/seconds.h"
#include "server/http/words.h"

// What requests ask for, as values of the library. All is checked before a bag is read, and what is
// wrong becomes an answer of 400 that names the parameter: an empty plot would look as if the bag
// had no such data. So a topic, field or expression that fits nothing in the bag is refused as
// well, if the bag has any messages. Texts of the request are escaped in errors, as logs and pages
// show them.

namespace kitbag::server {
namespace {

/// Why the messages of a channel do not have all fields; absent if they have, or if they cannot be
/// decoded, which the answer says.
std::optional<Error> missing_field(const Channel& channel, const std::vector<std::string>& fields,
                                   const Session& session) {
  TypePtr type;
  try {
    type = type_of(channel, session);
  } catch (const Error& error) {
    if (is_final(error.code())) throw;
  }
  if (!type) return std::nullopt;
  try {
    for (const std::string& field : fields) require_field(*type, field);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::not_found) throw;
    return error;
  }
  return std::nullopt;
}

[[noreturn]] void throw_unmatched(const std::string& pattern, const Channels& channels) {
  constexpr std::size_t kMostSimilar = 3;
  std::set<std::string> topics;
  for (const ChannelPtr& each : channels) {
    if (each) topics.insert(each->topic);
  }
  auto similar = nearest_texts(pattern, {topics.begin(), topics.end()}, kMostSimilar);
  throw Error(ErrorCode::invalid,
              fmt::format("no topic matches \"{}\"{}{}", escaped(pattern),
                          similar.empty() ? "" : "; similar: ",
                          escaped(fmt::format("{}", fmt::join(similar, ", ")))));
}

/// Throws Error (invalid) if one of the names and globs matches no topic. Of a bag without messages
/// nobody knows the topics.
void require_topics(const std::vector<std::string>& patterns, const Summary& summary) {
  if (summary.messages == 0) return;
  const Channels& channels = *summary.channels;
  for (const std::string& pattern : patterns) {
    Selector selector(Selection{.topics = {pattern}});
    auto is_match = [&](const ChannelPtr& each) { return each && selector.matches(*each); };
    if (std::any_of(channels.begin(), channels.end(), is_match)) continue;
    throw_unmatched(pattern, channels);
  }
}

}  // namespace

void add_asked(const Request& request, const std::vector<std::string>& names,
               std::vector<std::string>& parts) {
  // In the order of `names`, so that requests that differ only in their order have one key.
  for (const std::string& name : names) {
    for (const auto& [given, value] : request.query) {
      if (given == name) parts.push_back(name + "=" + value);
    }
  }
}

std::vector<std::string> words_of(const Request& request, std::string_view name) {
  std::vector<std::string> words;
  for (const auto& [key, value] : request.query) {
    if (key != name) continue;
    std::string_view rest = value;
    while (!rest.empty()) {
      std::string_view word = take_until(rest, ',');
      if (!word.empty()) words.emplace_back(word);
    }
  }
  return words;
}

std::uint64_t number_of(const Request& request, std::string_view name, std::uint64_t otherwise,
                        std::uint64_t least, std::uint64_t most) {
  const std::string* text = request.parameter(name);
  if (!text) return otherwise;
  std::uint64_t number = 0;
  auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), number);
  bool is_number = error == std::errc() && end == text->data() + text->size();
  if (is_number && number >= least && number <= most) return number;
  std::string range = most == UINT64_MAX ? "" : fmt::format(" from {} to {}", least, most);
  throw Error(ErrorCode::invalid,
              fmt::format("{}={} is not a whole number{}", name, escaped(*text), range));
}

std::string choice_of(const Request& request, std::string_view name,
                      const std::vector<std::string>& choices) {
  const std::string* text = request.parameter(name);
  if (!text) return choices.front();
  if (std::find(choices.begin(), choices.end(), *text) != choices.end()) return *text;
  throw Error(ErrorCode::invalid, fmt::format("{}={} is unknown; there are {}", name,
                                              escaped(*text), fmt::join(choices, ", ")));
}

Time time_of(std::string_view name, const std::string& text) {
  if (auto time = parse_seconds(text)) return *time;
  throw Error(ErrorCode::invalid,
              fmt::format("{}={} is not a time in seconds since 1970", name, escaped(text)));
}

std::optional<Slice> slice_of(const Request& request) {
  const std::string* start = request.parameter("start_time");
  const std::string* end = request.parameter("end_time");
  if (!start && !end) return std::nullopt;
  if (!start || !end) {
    throw Error(ErrorCode::invalid,
                fmt::format("{} is missing; a slice needs start_time and end_time",
                            start ? "end_time" : "start_time"));
  }
  Slice slice{time_of("start_time", *start), time_of("end_time", *end)};
  if (slice.end < slice.begin) throw Error(ErrorCode::invalid, "end_time is before start_time");
  return slice;
}

Selection selection_of(const Request& request, const Summary& summary, const Session& session,
                       const std::vector<std::string>& fields) {
  Selection select{.topics = words_of(request, "topics")};
  require_topics(select.topics, summary);
  if (fields.empty() || summary.messages == 0) return select;
  Selector selector(select);
  select.topics.clear();
  // A topic may have several types, of which only some have the fields.
  std::set<std::string> types;
  std::optional<Error> first_reason;
  for (const ChannelPtr& channel : *summary.channels) {
    if (!channel || !selector.matches(*channel)) continue;
    if (auto reason = missing_field(*channel, fields, session)) {
      if (!first_reason) first_reason = reason;
    } else {
      select.topics.push_back(exact_pattern(channel->topic));
      types.insert(exact_pattern(channel->type()));
    }
  }
  select.types.assign(types.begin(), types.end());
  if (!select.topics.empty() || !first_reason) return select;
  throw Error(ErrorCode::invalid, "no topic has all fields: " + first_reason->message());
}

std::set<std::string> state_of(const Request& request, const Summary& summary,
                               const std::set<std::string>& latched) {
  if (!request.parameter("state")) return latched;
  std::vector<std::string> words = words_of(request, "state");
  auto is_word = [&](std::string_view word) { return words.size() == 1 && words.front() == word; };
  if (is_word("latched")) return latched;
  if (is_word("none")) return {};
  Selection added;
  if (!is_word("all")) {
    added.topics = words;
    if (added.topics.empty()) {
      throw Error(ErrorCode::invalid,
                  "state is empty; it can be latched, none, all, or names and globs of topics");
    }
    require_topics(added.topics, summary);
  }
  Selector selector(added);
  std::set<std::string> topics = latched;
  for (const ChannelPtr& channel : *summary.channels) {
    if (channel && selector.matches(*channel)) topics.insert(channel->topic);
  }
  return topics;
}

std::string where_of(const Request& request, std::string_view name, const Summary& summary,
                     const Session& session) {
  const std::string* expression = request.parameter(name);
  if (!expression) return {};
  where(*expression, OnError::raw, nullptr, session);  // refuses what is none
  if (summary.messages == 0) return *expression;
  try {
    require_condition(*expression, *summary.channels, session);
  } catch (const Error& error) {
    if (is_final(error.code())) throw;
    throw Error(ErrorCode::invalid, escaped(error.message()));
  }
  return *expression;
}

}  // namespace kitbag::server
