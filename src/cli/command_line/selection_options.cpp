#include <charconv>

#include "cli/command_line/options.h"
#include "kitbag/calls.h"

// Services and actions become patterns of topics as soon as they are parsed: what reads bags knows
// patterns alone. Lists are appended to, so an option may be given several times, and those that
// fill the same list, as --topics and --services do, add to each other.

namespace kitbag::cli {
namespace {

/// An option with names or globs of services or actions, of which `pattern_of` makes patterns of
/// topics.
void add_calls(Verb& verb, const char* name, std::vector<std::string>& into,
               std::string (*pattern_of)(const std::string&), const char* value,
               const char* description) {
  auto take = [&into, pattern_of](const std::vector<std::string>& texts) {
    for (const std::string& text : texts) {
      for (const std::string& word : split_words(text)) into.push_back(pattern_of(word));
    }
  };
  verb.add_option_function<std::vector<std::string>>(name, take, description)
      ->transform(unmarked)
      ->option_text(value)
      ->group(kSelectionGroup);
}

}  // namespace

void add_topics(Verb& verb, Selection& select) {
  auto add = [&](const char* name, std::vector<std::string>& into, const char* value,
                 const char* description) {
    return add_words(verb, name, into, value, description)->group(kSelectionGroup);
  };
  auto add_expressions = [&](const char* name, std::vector<std::string>& into,
                             const char* description) {
    add_list(verb, name, into, "EXPR...", description)->group(kSelectionGroup);
  };
  verb.common(
      add("--topics", select.topics, "TOPIC...",
          "Select topics by name or glob, with spaces or commas between; * and ? also match /"));
  add_expressions("--regex", select.topic_expressions,
                  "Select topics whose whole name matches a regular expression");
  verb.common(add("--exclude", select.exclude, "TOPIC...", "Skip topics, by name or glob"));
  add_expressions("--exclude-regex", select.exclude_expressions,
                  "Skip topics whose whole name matches a regular expression");
  add("--types", select.types, "TYPE...", "Select topics by type, given by name or glob");
  add_calls(verb, "--services", select.topics, service_pattern, "SERVICE...",
            "Select the events of services, by name or glob (ROS 2); adds to --topics");
  add_calls(verb, "--exclude-services", select.exclude, service_pattern, "SERVICE...",
            "Skip the events of services, by name or glob");
  add_calls(verb, "--actions", select.topics, action_pattern, "ACTION...",
            "Select the topics of actions, by name or glob (ROS 2); adds to --topics");
  add_calls(verb, "--exclude-actions", select.exclude, action_pattern, "ACTION...",
            "Skip the topics of actions, by name or glob");
}

CLI::Option* add_where(Verb& verb, std::string& where) {
  return add_text(verb, "--where", where, "CONDITION",
                  "Select messages that meet a condition, such as 'x > 0.5 && topic == \"/odom\"'")
      ->group(kSelectionGroup);
}

CLI::Option* add_tags(Verb& verb, std::map<std::string, std::string>& tags,
                      const std::string& description) {
  auto take = [&tags](const std::vector<std::string>& texts) {
    for (const std::string& marked_text : texts) {
      std::string text = unmarked(marked_text);
      std::size_t equals = text.find('=');
      if (equals == std::string::npos || equals == 0) {
        throw_invalid(fmt::format("--tag: expected NAME=VALUE, got \"{}\"", text));
      }
      tags.insert_or_assign(text.substr(0, equals), text.substr(equals + 1));
    }
  };
  return verb.add_option_function<std::vector<std::string>>("--tag", take, description)
      ->option_text("NAME=VALUE...");
}

CLI::Option* add_count(Verb& verb, std::uint64_t& count) {
  return add_number(verb, "--count", count, "N", "Stop after the first N selected messages")
      ->group(kSelectionGroup);
}

namespace {

/// "10" is of all topics, "/imu=10" of one.
Every parse_every(const std::string& text) {
  std::size_t sign = text.rfind('=');
  bool has_topic = sign != std::string::npos;
  std::size_t begin = has_topic ? sign + 1 : 0;
  Every every{has_topic ? text.substr(0, sign) : "*", 0};
  const char* end = text.data() + text.size();
  auto [rest, error] = std::from_chars(text.data() + begin, end, every.count);
  bool is_valid = error == std::errc() && rest == end && every.count > 0 && !every.topics.empty();
  if (!is_valid) throw_invalid(fmt::format("--every: expected N or TOPIC=N, got \"{}\"", text));
  return every;
}

}  // namespace

void add_thinning(Verb& verb, PayloadOptions& payload) {
  auto take = [&payload](const std::vector<std::string>& texts) {
    for (const std::string& text : texts) {
      for (const std::string& word : split_words(text)) {
        payload.every.push_back(parse_every(word));
      }
    }
  };
  verb.add_option_function<std::vector<std::string>>(
          "--every", take,
          "Keep the first and then every N-th message of each topic, or of topics by name or glob")
      ->transform(unmarked)
      ->option_text("[TOPIC=]N...")
      ->group(kSelectionGroup);
  add_throttles(verb, payload.throttle);
  verb.add_flag("--dedupe", payload.drops_duplicates,
                "Skip messages that are identical to an earlier one in topic, type, times and "
                "bytes, as in recordings that overlap")
      ->group(kSelectionGroup);
}

void require_thinning_fits(const PayloadOptions& payload, const SelectOptions& select) {
  bool is_by_log_time = select.order == Order::time && select.by == TimeField::log_time;
  if (payload.drops_duplicates && !is_by_log_time) {
    throw_invalid("--dedupe requires --order time and --by log_time");
  }
  if (!payload.throttle.empty() && !is_by_log_time) {
    throw_invalid("--throttle requires --order time and --by log_time");
  }
}

CLI::Option* add_start(Verb& verb, std::optional<TimePoint>& start) {
  return add_parsed(verb, "--start", start, parse_time, "TIME",
                    "Skip messages before this time: +5s after the start of the bag, -5s before "
                    "its end, or 2026-11-20T14:30:00Z")
      ->group(kTimeGroup);
}

void add_range(Verb& verb, SelectOptions& select) {
  verb.common(add_start(verb, select.start));
  verb.common(
      add_parsed(verb, "--end", select.end, parse_time, "TIME", "Skip messages from this time on")
          ->group(kTimeGroup));
  verb.common(add_parsed(verb, "--duration", select.duration, parse_positive_duration, "DURATION",
                         "Limit the range to this long, such as 5s or 2m, from --start or up to "
                         "--end. Default: from the first message")
                  ->group(kTimeGroup));
}

CLI::Option* add_by(Verb& verb, TimeField& by) {
  return add_choice<TimeField>(
             verb, "--by", by,
             {{"log_time", TimeField::log_time}, {"publish_time", TimeField::publish_time}},
             "Order and select by the time of reception (log_time) or of sending (publish_time). "
             "Default: log_time")
      ->group(kTimeGroup);
}

CLI::Option* add_order(Verb& verb, Order& order) {
  return add_choice<Order>(
             verb, "--order", order,
             {{"time", Order::time}, {"reverse_time", Order::reverse_time}, {"file", Order::file}},
             "Order messages by time, by time backwards, or as stored. Default: time")
      ->group(kTimeGroup);
}

void add_select(Verb& verb, SelectOptions& select) {
  add_topics(verb, select.select);
  add_range(verb, select);
  verb.add_flag("--latched", select.with_latched,
                "Include the last message of each latched channel before --start, such as a map")
      ->group(kTimeGroup);
  add_order(verb, select.order);
  add_by(verb, select.by);
}

void add_no_key_frames(Verb& verb, bool& with_key_frames) {
  verb.add_flag_callback(
          "--no-key-frames", [&with_key_frames] { with_key_frames = false; },
          "Skip video frames before the start, even if the first frames cannot be decoded without "
          "them")
      ->group(kTimeGroup);
}

// What contradicts itself without any bag; make_query() finds ranges that are empty in the bags.
void require_plain_range(const SelectOptions& select) {
  if (select.start && select.end && select.duration) {
    throw_invalid("use at most two of --start, --end and --duration");
  }
  if (select.with_latched && select.order != Order::time) {
    throw_invalid("--latched requires --order time");
  }
}

}  // namespace kitbag::cli
