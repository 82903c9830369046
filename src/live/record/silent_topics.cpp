#include "live/record/silent_topics.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

#include "kitbag/calls.h"

// A channel is compared with what was asked for when its first message comes, so a message costs a
// look at a bit, and only in the first seconds.

namespace kitbag {

SilentTopics::SilentTopics(const Selection& asked) {
  auto add = [this](const std::string& what, Selection selection) {
    silent_.push_back({what, Selector(selection)});
  };
  for (const std::string& topic : asked.topics) add(topic, {.topics = {topic}});
  for (const std::string& each : asked.topic_expressions) {
    add(each, {.topic_expressions = {each}});
  }
  for (const std::string& type : asked.types) add(type, {.types = {type}});
  has_names_ = !silent_.empty();
  if (!has_names_) add("any topic", {});
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

std::string SilentTopics::take_silence(std::string_view verb) {
  is_told_ = true;
  std::vector<std::string> names;
  bool lacks_events = false;
  for (const Asked& asked : std::exchange(silent_, {})) {
    if (asked.has_come) continue;
    if (asked.what == service_pattern("*")) {
      lacks_events = true;
    } else {
      names.push_back(asked.what);
    }
  }
  slots_heard_ = {};
  if (!names.empty()) {
    return fmt::format("no message {} on {}{}", verb, fmt::join(names, ", "),
                       lacks_events ? ", and no service event" : "");
  }
  return lacks_events ? fmt::format("no service event {}", verb) : std::string();
}

std::optional<Error> SilentTopics::tell(Duration elapsed) {
  if (is_told_ || elapsed < kPatience) return std::nullopt;
  std::string silence = take_silence("has come");
  if (silence.empty()) return std::nullopt;
  return Error(ErrorCode::not_found,
               fmt::format("{} for {} s; kitbag goes on waiting", silence,
                           std::chrono::duration_cast<std::chrono::seconds>(kPatience).count()));
}

std::optional<Error> SilentTopics::tell_at_end() {
  if (is_told_ || !has_names_) return std::nullopt;
  std::string silence = take_silence("came");
  if (silence.empty()) return std::nullopt;
  return Error(ErrorCode::not_found, silence);
}

}  // namespace kitbag
