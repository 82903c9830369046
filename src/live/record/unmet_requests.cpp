#include "live/record/unmet_requests.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "kitbag/selector.h"
#include "kitbag/text.h"

// What sim_time() leaves out never gets here, but it has come: a topic is not silent for want of a
// clock.
//
// What is excluded is not subscribed to. Only the system knows whether a pattern stands for
// anything, and its answer may take a while: it is asked once, when topics had some time to come,
// or at the end of a short recording. A system that does not say what it has is believed.

namespace kitbag {

namespace {

constexpr std::size_t kMostSimilar = 3;

/// Without names, the clock alone is waited for: everything else waits for it.
Selection waited_for(const RecordOptions& options) {
  Selection asked = options.select;
  auto& topics = asked.topics;
  bool lacks_clock = std::find(topics.begin(), topics.end(), kClockTopic) == topics.end();
  if (options.uses_sim_time && lacks_clock) topics.emplace_back(kClockTopic);
  return asked;
}

std::string are_left_out(std::uint64_t messages) {
  return fmt::format("{} message{} left out", messages, messages == 1 ? " is" : "s are");
}

std::optional<Error> unmatched(const Selection& exclude, const std::string& pattern,
                               const std::vector<LiveTopic>& topics) {
  Selector selector(exclude);
  std::vector<std::string> names;
  for (const LiveTopic& each : topics) {
    if (!selector.matches(each.topic, each.type)) return std::nullopt;
    names.push_back(each.topic);
  }
  auto similar = nearest_texts(pattern, names, kMostSimilar);
  return Error(ErrorCode::not_found,
               fmt::format("nothing is excluded by \"{}\" so far{}{}", pattern,
                           similar.empty() ? "" : "; similar: ", fmt::join(similar, ", ")));
}

}  // namespace

UnmetRequests::UnmetRequests(const RecordOptions& options, const SimTimeReport& clock)
    : options_(options), clock_(clock), silent_(waited_for(options)) {}

void UnmetRequests::count(std::map<std::string, std::uint64_t>& dropped) const {
  for (const SimTimeReport::LeftOut& each : clock_.left_out) {
    if (each.messages > 0) dropped[each.channel->topic] += each.messages;
  }
}

void UnmetRequests::hear_left_out() {
  for (const SimTimeReport::LeftOut& each : clock_.left_out) {
    if (each.has_come) silent_.hear(*each.channel);
  }
}

std::vector<Error> UnmetRequests::tell(Duration elapsed, const LiveSource& source) {
  std::vector<Error> told;
  tell_of_clock(false, told);
  hear_left_out();
  if (auto silence = silent_.tell(elapsed, [&] { return source.topics(); }))
    told.push_back(*silence);
  if (elapsed >= SilentTopics::kPatience) tell_of_excludes(source, told);
  return told;
}

std::vector<Error> UnmetRequests::tell_at_end(const LiveSource& source) {
  std::vector<Error> told;
  tell_of_clock(true, told);
  hear_left_out();
  if (auto silence = silent_.tell_at_end([&] { return source.topics(); })) told.push_back(*silence);
  tell_of_excludes(source, told);
  tell_of_chunks(source, told);
  return told;
}

void UnmetRequests::tell_of_clock(bool is_end, std::vector<Error>& told) {
  if (!options_.uses_sim_time || is_clock_told_ || (!clock_.has_time && !is_end)) return;
  is_clock_told_ = true;
  std::uint64_t messages = 0;
  bool has_clock = false;
  for (const SimTimeReport::LeftOut& each : clock_.left_out) {
    messages += each.messages;
    has_clock |= each.has_come && each.channel->topic == kClockTopic;
  }
  if (clock_.has_time && messages == 0) return;
  std::string text;
  if (clock_.has_time) {
    text = fmt::format("{} came before the first message on {} and {} left out",
                       messages == 1 ? "1 message" : fmt::format("{} messages", messages),
                       kClockTopic, messages == 1 ? "is" : "are");
  } else {
    text = has_clock ? "no message on /clock has a time" : "nothing was published on /clock";
    if (messages > 0) text += fmt::format(", so {}", are_left_out(messages));
    Channel clock;
    clock.topic = kClockTopic;
    silent_.hear(clock);
  }
  told.emplace_back(ErrorCode::not_found, text);
}

void UnmetRequests::tell_of_excludes(const LiveSource& source, std::vector<Error>& told) {
  if (std::exchange(are_excludes_told_, true)) return;
  const Selection& select = options_.select;
  if (select.exclude.empty() && select.exclude_expressions.empty()) return;
  auto topics = source.topics();
  if (!topics || topics->empty()) return;
  auto add = [&](const Selection& exclude, const std::string& pattern) {
    if (auto error = unmatched(exclude, pattern, *topics)) told.push_back(*error);
  };
  for (const std::string& each : select.exclude) add({.exclude = {each}}, each);
  for (const std::string& each : select.exclude_expressions) {
    add({.exclude_expressions = {each}}, each);
  }
}

void UnmetRequests::tell_of_chunks(const LiveSource& source, std::vector<Error>& told) const {
  ChannelsPtr channels = source.channels();
  for (const TopicChunks& each : options_.target.write.topic_chunks) {
    bool is_used = std::any_of(channels->begin(), channels->end(), [&](const ChannelPtr& channel) {
      return channel && matches_glob(each.topics, channel->topic);
    });
    if (is_used) continue;
    told.emplace_back(
        ErrorCode::not_found,
        fmt::format("no topic matches \"{}\", which has a chunk size of its own", each.topics));
  }
}

}  // namespace kitbag
