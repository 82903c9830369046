#include "live/record/silent_topics.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

#include "kitbag/calls.h"
#include "kitbag/text.h"

// A channel is compared with what was asked for when its first message comes, so a message costs a
// look at a bit, and only in the first seconds.

namespace kitbag {

namespace {

bool is_of_call(std::string_view pattern) {
  return pattern.ends_with(kServiceEventSuffix) ||
         pattern.find(kActionFolder) != std::string_view::npos;
}

}  // namespace

SilentTopics::SilentTopics(const Selection& asked) {
  auto add = [this](const std::string& what, const Selection& selection, bool is_topic) {
    silent_.push_back({what, Selector(selection), is_topic});
  };
  for (const std::string& topic : asked.topics) add(topic, {.topics = {topic}}, !is_of_call(topic));
  for (const std::string& each : asked.topic_expressions) {
    add(each, {.topic_expressions = {each}}, true);
  }
  for (const std::string& type : asked.types) add(type, {.types = {type}}, false);
  has_names_ = !silent_.empty();
  if (!has_names_) add("any topic", {}, false);
}

void SilentTopics::take(const Batch& batch) {
  if (is_told_) return;
  for (const Message& message : batch.messages()) {
    std::size_t slot = message.channel->slot;
    if (slot >= slots_heard_.size()) slots_heard_.resize(slot + 1);
    if (slots_heard_[slot]) continue;
    slots_heard_[slot] = true;
    hear(*message.channel);
  }
}

void SilentTopics::hear(const Channel& channel) {
  for (Asked& asked : silent_) asked.has_come |= asked.selector.matches(channel);
}

SilentTopics::Silence SilentTopics::take_silence(std::string_view verb, const AskTopics& ask) {
  is_told_ = true;
  std::vector<Asked> silent = std::exchange(silent_, {});
  std::erase_if(silent, [](const Asked& asked) { return asked.has_come; });
  slots_heard_ = {};
  std::vector<std::string> names;
  bool lacks_events = false;
  for (const Asked& asked : silent) {
    if (asked.what == service_pattern("*")) {
      lacks_events = true;
    } else {
      names.push_back(asked.what);
    }
  }
  if (names.empty()) {
    return {lacks_events ? fmt::format("no service event {}", verb) : std::string(), {}};
  }
  return {fmt::format("no message {} on {}{}", verb, fmt::join(names, ", "),
                      lacks_events ? ", and no service event" : ""),
          hint_of(std::move(silent), ask)};
}

/// A topic that the system has is spelled right.
std::string SilentTopics::hint_of(std::vector<Asked> silent, const AskTopics& ask) {
  std::erase_if(silent, [](const Asked& asked) { return !asked.is_topic; });
  auto topics = silent.empty() || !ask ? std::nullopt : ask();
  if (!topics) return {};
  std::vector<std::string> known;
  for (const LiveTopic& each : *topics) {
    known.push_back(each.topic);
    std::erase_if(
        silent, [&](const Asked& asked) { return asked.selector.matches(each.topic, each.type); });
  }
  if (silent.empty()) return {};
  std::vector<std::string> wanted;
  wanted.reserve(silent.size());
  for (Asked& asked : silent) wanted.push_back(std::move(asked.what));
  return describe_known(wanted, "topics", std::move(known));
}

std::optional<Error> SilentTopics::tell(Duration elapsed, const AskTopics& ask) {
  if (is_told_ || elapsed < kPatience) return std::nullopt;
  Silence silence = take_silence("has come", ask);
  if (silence.text.empty()) return std::nullopt;
  return Error(ErrorCode::not_found,
               fmt::format("{} for {} s{}; kitbag goes on waiting", silence.text,
                           std::chrono::duration_cast<std::chrono::seconds>(kPatience).count(),
                           silence.hint));
}

std::optional<Error> SilentTopics::tell_at_end(const AskTopics& ask) {
  if (is_told_ || !has_names_) return std::nullopt;
  Silence silence = take_silence("came", ask);
  if (silence.text.empty()) return std::nullopt;
  return Error(ErrorCode::not_found, silence.text + silence.hint);
}

}  // namespace kitbag
