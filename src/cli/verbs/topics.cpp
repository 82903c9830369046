#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "cli/options/live_system.h"
#include "cli/options/many_bags.h"
#include "cli/terminal/live_topics_text.h"
#include "cli/terminal/output.h"
#include "cli/terminal/print.h"
#include "cli/terminal/width.h"
#include "cli/verbs.h"
#include "kitbag/error.h"
#include "kitbag/escape.h"
#include "kitbag/live_topics.h"
#include "kitbag/open.h"
#include "kitbag/selector.h"

// Most systems tell of their topics one by one and do not say which is the last, so they are given
// a while (settling_time()), and what is known then is the answer. With --rates the messages of
// these topics are received, and so count as a subscriber for their publishers; without it nothing
// is subscribed to.

namespace kitbag::cli {
namespace {

constexpr Duration kRefresh = std::chrono::seconds(1);
/// What is watched is shown for so many refreshes after it came.
constexpr std::size_t kShownPeriods = 10;

/// From the top of the terminal, with nothing below. The screen stays the usual one: whatever ends
/// the program, the terminal is as it should be.
constexpr const char* kFromTheTop = "\x1b[H\x1b[J";

LiveTopicsOptions options_of(const TopicsArguments& arguments) {
  LiveTopicsOptions options;
  options.select = arguments.select;
  options.measures = arguments.measured.has_value();
  if (arguments.watches) options.periods = kShownPeriods;
  options.on_warning = warn_of_system;
  return options;
}

std::string text_of(const WatchedTopics& topics, const TopicsArguments& arguments,
                    bool is_terminal) {
  if (topics.empty()) return {};
  std::string text;
  if (arguments.measured) text = rates_table(topics, is_terminal);
  if (!arguments.measured && !arguments.is_verbose) text = topics_table(topics, is_terminal);
  if (arguments.is_verbose)
    text += (text.empty() ? "" : "\n") + endpoints_text(topics, is_terminal);
  return text;
}

/// As many lines as the terminal has, none wider than it.
std::string fitted_lines(std::string_view text) {
  std::size_t columns = terminal_columns(1);
  std::size_t lines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  std::size_t room = std::max<std::size_t>(terminal_lines(1), 2) - 1;
  // One line for the cursor, and one for how many are not shown.
  std::size_t shown = lines <= room ? lines : room - 1;
  std::string fitted;
  for (std::size_t i = 0; i < shown; ++i) {
    std::size_t end = text.find('\n');
    fitted += cut_to_width(text.substr(0, end), columns) + "\n";
    text.remove_prefix(end + 1);
  }
  if (shown < lines) fitted += fmt::format("... {} more\n", counted(lines - shown, "line"));
  return fitted;
}

/// A system that does not answer may come back.
void draw(const LiveTopics& system, const TopicsArguments& arguments, Output& out) {
  WatchedTopics topics;
  std::string text = "no topics\n";
  try {
    topics = system.topics();
    if (!topics.empty()) text = text_of(topics, arguments, false);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::io) throw;
    text = escaped(error.what()) + "\n";
  }
  for (const std::string& warning : topic_warnings(topics)) text += escaped(warning) + "\n";
  out.write(out.is_terminal() ? kFromTheTop + fitted_lines(text) : text + "\n");
  out.flush();
}

int watch(const std::string& uri, const TopicsArguments& arguments, const Context& context) {
  LiveTopics system(uri, options_of(arguments), context.session);
  Duration first = arguments.wait.value_or(settling_time(uri));
  SteadyTime next = context.clock.steady() + first;
  while (system.look({context.stop, next})) {
    if (context.stop.stop_requested()) return kDone;
    draw(system, arguments, context.out);
    system.begin_period();
    next = context.clock.steady() + kRefresh;
  }
  draw(system, arguments, context.out);
  return kDone;
}

WatchedTopics look_at(const std::string& uri, const TopicsArguments& arguments,
                      const Context& context) {
  LiveTopics system(uri, options_of(arguments), context.session);
  Duration wait = arguments.wait.value_or(settling_time(uri));
  if (arguments.measured) wait += *arguments.measured;
  system.look({context.stop, context.clock.steady() + wait});
  return system.topics();
}

void print(const std::string& uri, const WatchedTopics& topics, const TopicsArguments& arguments,
           Output& out) {
  if (arguments.as_json) {
    for (const WatchedTopic& each : topics) {
      out.write(topic_json(without_parameters(uri), each) + "\n");
    }
  } else {
    out.write(text_of(topics, arguments, out.is_terminal()));
  }
  out.flush();
  for (const std::string& warning : topic_warnings(topics)) print_warning(warning);
}

/// The names of all topics of the systems, also of those that are not selected.
std::vector<std::string> all_topics(const std::vector<std::string>& uris, const Context& context) {
  std::vector<std::string> names;
  for (const std::string& uri : uris) {
    try {
      LiveTopics system(uri, {}, context.session);
      system.look({context.stop, context.clock.steady() + settling_time(uri)});
      for (const WatchedTopic& each : system.topics()) names.push_back(each.topic);
    } catch (const Error&) {
      // That it does not answer has been said, or is so only by now.
    }
  }
  return names;
}

/// A topic that was named and is nowhere is a mistake, or not there yet. Only then the systems are
/// asked for those that were not named.
void require_named(const TopicsArguments& arguments, const WatchedTopics& found,
                   const std::vector<std::string>& uris, const Context& context) {
  std::vector<std::string> names;
  for (const WatchedTopic& each : found) names.push_back(each.topic);
  for (const std::string& wanted : arguments.select.topics) {
    auto fits = [&](const std::string& name) { return matches_glob(wanted, name); };
    if (std::any_of(names.begin(), names.end(), fits)) continue;
    std::vector<std::string> shown;
    shown.reserve(uris.size());
    for (const std::string& uri : uris) shown.push_back(without_parameters(uri));
    throw Error(ErrorCode::not_found,
                fmt::format("no topic \"{}\" was found{}", wanted,
                            topics_instead({.topics = {wanted}}, all_topics(uris, context))),
                fmt::format("{}", fmt::join(shown, ", ")));
  }
}

/// The URI with those of the parameters that the system has.
std::string complete(const std::string& uri, SystemOptions systems) {
  systems.uris = {uri};
  if (uri.starts_with("ros1:")) {
    systems.parameters.erase("hidden");
    systems.parameters.erase("qos");
  }
  return systems.complete().front();
}

/// Each system that can be found by itself. One that is not there is no failure.
int look_around(const std::vector<std::string>& uris, const TopicsArguments& arguments,
                const Context& context) {
  print_note(fmt::format("asking {}", fmt::join(uris, " and ")));
  WatchedTopics all;
  std::optional<Error> missing;
  bool is_any_there = false;
  std::vector<std::string> asked;  // the same, with their parameters
  for (const std::string& uri : uris) {
    if (context.stop.stop_requested()) break;
    WatchedTopics topics;
    try {
      asked.push_back(complete(uri, arguments.system));
      topics = look_at(asked.back(), arguments, context);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::io) throw;
      print_note(error.what());
      missing.emplace(error);
      continue;
    }
    is_any_there = true;
    if (topics.empty()) {
      print_note(uri + ": no topics");
      continue;
    }
    if (!arguments.as_json) print_bag_heading(uri, all.empty(), context.out);
    print(uri, topics, arguments, context.out);
    all.insert(all.end(), topics.begin(), topics.end());
  }
  if (!is_any_there && missing) throw Error(*missing);
  require_named(arguments, all, asked, context);
  return kDone;
}

}  // namespace

int topics(const TopicsArguments& arguments, const Context& context) {
  if (arguments.system.uris.empty()) {
    auto uris = usual_systems(context.session);
    if (!uris.empty()) return look_around(uris, arguments, context);
    throw Error(ErrorCode::not_found,
                "neither ros1:// nor ros2:// is installed here; name a system, such as "
                "zmq+tcp://127.0.0.1:7913");
  }
  std::string uri = arguments.system.complete().front();
  if (arguments.watches) return watch(uri, arguments, context);
  WatchedTopics found = look_at(uri, arguments, context);
  print(uri, found, arguments, context.out);
  require_named(arguments, found, {uri}, context);
  if (found.empty()) print_note(without_parameters(uri) + ": no topics");
  return kDone;
}

}  // namespace kitbag::cli
