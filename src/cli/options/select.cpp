#include "cli/options/select.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <limits>
#include <set>
#include <utility>

#include "cli/options/fields_to_come.h"
#include "cli/options/idle_options.h"
#include "cli/options/streamed_bag.h"
#include "cli/terminal/print.h"
#include "kitbag/fields.h"
#include "kitbag/pipeline.h"

// Order of the checks: expressions that do not compile, an empty time range, topics that match
// nothing. A topic that no bag has is an error, since it is mostly a typing mistake; the answer
// names topics that exist. A condition whose fields no topic has is the same kind of mistake.
//
// A pattern that excludes nothing is a warning: a script may exclude what only some bags have.
//
// Of a pipe, channels are known only at its end. So these checks are stored and run there, and a
// mistake is reported after what was printed. Times relative to the start need the first message,
// which is then read and kept (StreamedBag::start()); times relative to the end cannot be had.

namespace kitbag::cli {
namespace {

/// The publish time of the first message in `order`. Who reads the bag afterwards reports damage.
std::optional<Time> first_publish_time(const Bag& bag, Order order) {
  Query query{.order = order, .by = TimeField::publish_time, .count = 1};
  query.on_problem = [](const Error&) {};
  auto source = bag.read(query);
  for (Batch batch; source->read(batch, {}); batch.clear()) {
    if (!batch.empty()) return std::as_const(batch).messages().front().publish_time;
  }
  return std::nullopt;
}

/// Of all messages of all bags; nothing when they are empty.
std::optional<TimeRange> range_of_all(std::span<const BagPtr> bags, TimeField by) {
  std::optional<TimeRange> range;
  for (const BagPtr& bag : bags) {
    auto own = range_of(*bag, by);
    if (!own) continue;
    if (!range) range = own;
    range->start = std::min(range->start, own->start);
    range->end = std::max(range->end, own->end);
  }
  return range;
}

/// time + duration, stopping at the ends of what a Time can hold.
Time shifted(Time time, Duration duration) {
  if (duration >= Duration::zero()) {
    return time > Time::max() - duration ? Time::max() : time + duration;
  }
  return time < Time::min() - duration ? Time::min() : time + duration;
}

bool counts_from(const std::optional<TimePoint>& time, TimePoint::From from) {
  return time && time->from == from;
}

const StreamedBag* as_stream(const BagPtr& bag) {
  return dynamic_cast<const StreamedBag*>(bag.get());
}

bool has_stream(std::span<const BagPtr> bags) {
  return std::any_of(bags.begin(), bags.end(), as_stream);
}

bool has_only_absolute_times(const SelectOptions& options) {
  using From = TimePoint::From;
  bool is_start_absolute = !options.start || options.start->from == From::epoch;
  bool is_end_absolute = !options.end || options.end->from == From::epoch;
  return is_start_absolute && is_end_absolute && (options.start || options.end);
}

bool has_relative_times(const SelectOptions& options) {
  return (options.start || options.end || options.duration) && !has_only_absolute_times(options);
}

/// What relative times of `options` stand on; of publish times nothing where there are none, since
/// messages would have to be read for it. Of what comes through a pipe only its first message
/// is known, and only that is waited for.
std::optional<TimeRange> range_for(const SelectOptions& options, std::span<const BagPtr> bags) {
  using From = TimePoint::From;
  std::optional<TimeRange> range;
  if (options.by == TimeField::log_time || has_relative_times(options)) {
    range = range_of_all(bags, options.by);
  }
  if (!has_stream(bags)) return range;
  if (counts_from(options.start, From::end) || counts_from(options.end, From::end)) {
    throw Error(
        ErrorCode::unsupported,
        "a time relative to the end requires a file, not a pipe; save the bag to a file first");
  }
  bool is_open_duration = options.duration && !options.start && !options.end;
  if (!counts_from(options.start, From::start) && !counts_from(options.end, From::start) &&
      !is_open_duration) {
    return range;
  }
  for (const BagPtr& bag : bags) {
    const StreamedBag* stream = as_stream(bag);
    auto start = stream ? stream->start(options.order, options.by) : std::nullopt;
    if (!start) continue;
    if (!range) range = {*start, *start};
    range->start = std::min(range->start, *start);
  }
  return range;
}

void apply_times(const SelectOptions& options, const TimeRange& range, Query& query) {
  if (options.start) query.begin = options.start->resolve(range.start, range.end);
  if (options.end) query.end = options.end->resolve(range.start, range.end);
  if (options.duration && options.end) {
    query.begin = shifted(query.end, -*options.duration);
  } else if (options.duration) {
    if (!options.start) query.begin = range.start;
    query.end = shifted(query.begin, *options.duration);
  }
  if (query.begin >= query.end) {
    throw Error(ErrorCode::invalid, fmt::format("the time range is empty, from {} to {}",
                                                format_time(query.begin), format_time(query.end)));
  }
}

std::set<std::string> types_of(const Tables& tables) {
  std::set<std::string> types;
  for (const ChannelsPtr& table : tables) {
    for (const ChannelPtr& channel : *table) {
      if (channel) types.insert(channel->type());
    }
  }
  return types;
}

/// "; similar: /tick; available topics: /chatter, /tick". `what` are topics or types.
std::string list_names(const std::string& pattern, std::string_view what,
                       const std::set<std::string>& names) {
  if (names.empty()) return "; the bag has no topics";
  return describe_known({pattern}, what, {names.begin(), names.end()});
}

bool matches_any(const Selection& selection, const Tables& tables) {
  Selector selector(selection);
  return std::any_of(tables.begin(), tables.end(), [&](const ChannelsPtr& table) {
    return std::any_of(table->begin(), table->end(), [&](const ChannelPtr& channel) {
      return channel && selector.matches(*channel);
    });
  });
}

/// `names`: list_names().
[[noreturn]] void throw_unmatched(std::string_view what, const std::string& pattern,
                                  const std::string& names) {
  std::string text = fmt::format("{} \"{}\"{}", what, pattern, names);
  std::error_code ignored;
  if (std::filesystem::exists(pattern, ignored)) {
    text += "; if this is a bag, put bags before the options";
  }
  throw Error(ErrorCode::not_found, text);
}

/// Each of `patterns`, alone in a selection as its `list`, must match a channel.
void require_matches(std::vector<std::string> Selection::*list, const Selection& selection,
                     std::string_view what, const Tables& tables) {
  bool are_types = list == &Selection::types;
  for (const std::string& pattern : selection.*list) {
    Selection alone;
    (alone.*list).push_back(pattern);
    if (matches_any(alone, tables)) continue;
    throw_unmatched(what, pattern,
                    list_names(pattern, are_types ? "types" : "topics",
                               are_types ? types_of(tables) : known_topics(tables)));
  }
}

void require_all_match(const Selection& selection, const Tables& tables) {
  require_matches(&Selection::topics, selection, "no topic matches", tables);
  require_matches(&Selection::topic_expressions, selection, "no topic matches the expression",
                  tables);
  require_matches(&Selection::types, selection, "no topic has a type that matches", tables);
}

/// "; 5 is a time of 1970; ..." if `--start 5` was meant to count from the start of the bag. No
/// robot has recorded before 1973.
std::string hint_of_relative_time(const SelectOptions& options, const TimeRange& range) {
  constexpr Time kFirst = from_ns(100'000'000'000'000'000);
  if (range.start < kFirst) return {};
  for (const auto& [name, point] : {std::pair("--start", options.start), {"--end", options.end}}) {
    bool is_early =
        point && point->from == TimePoint::From::epoch && point->resolve({}, {}) < kFirst;
    if (!is_early) continue;
    return fmt::format(
        "; {} is a time of 1970 here; for a time after the start of the bag, write +, "
        "as in {} +5s",
        name, name);
  }
  return {};
}

/// Times are mostly outside by mistake.
void warn_of_empty_range(const SelectOptions& options, const Query& query, const TimeRange& range,
                         bool is_one, const std::string& about) {
  bool ends_before = query.end != Time::max() && query.end <= range.start;  // the end of all times
  if (query.begin <= range.end && !ends_before) return;
  print_warning(fmt::format("{}no messages in this range; the {} {} long, from {} to {}{}", about,
                            is_one ? "bag is" : "bags are",
                            format_duration(saturating_difference(range.start, range.end)),
                            format_time(range.start), format_time(range.end),
                            hint_of_relative_time(options, range)));
}

/// The share of `summary`'s time that lies in the range of `query`, from 0 to 1.
double share_of_time(const Query& query, const Summary& summary) {
  if (summary.end <= summary.start) return 1;
  Time begin = std::clamp(query.begin, summary.start, summary.end);
  Time end = std::clamp(query.end, summary.start, summary.end);
  if (end <= begin) return 0;
  return std::chrono::duration<double>(end - begin) / (summary.end - summary.start);
}

/// What where() passes on. A condition that no topic can meet is a mistake, like a topic that no
/// bag has; it shows at the end, when all topics are known.
class ConditionThatFits final : public Source {
 public:
  ConditionThatFits(std::unique_ptr<Source> source, const std::string& condition, OnError on_error,
                    TranscodeReport& report, const Session& session)
      : condition_(condition), report_(report), session_(session) {
    before_ = source.get();
    source_ = through(std::move(source), where(condition, on_error, &report, session));
  }

  ChannelsPtr channels() const override { return source_->channels(); }

  bool read(Batch& batch, const Wait& wait) override {
    bool more = source_->read(batch, wait);
    // What could not be decoded was reported, and might have fitted.
    if (!more && report_.topics.empty()) {
      require_condition(condition_, *before_->channels(), session_);
    }
    return more;
  }

 private:
  std::string condition_;
  const TranscodeReport& report_;
  const Session& session_;
  const Source* before_;  ///< `source_` without the condition; it has all channels
  std::unique_ptr<Source> source_;
};

}  // namespace

std::optional<TimeRange> range_of(const Bag& bag, TimeField by) {
  const Summary& summary = bag.summary();
  if (summary.messages == 0) return std::nullopt;
  if (by == TimeField::log_time) return TimeRange{summary.start, summary.end};
  auto first = first_publish_time(bag, Order::time);
  auto last = first ? first_publish_time(bag, Order::reverse_time) : std::nullopt;
  if (!last) return std::nullopt;
  return TimeRange{*first, *last};
}

Tables tables_of(std::span<const BagPtr> bags) {
  Tables tables;
  for (const BagPtr& bag : bags) tables.push_back(bag->channels());
  return tables;
}

std::set<std::string> known_topics(const Tables& tables) {
  std::set<std::string> topics;
  for (const ChannelsPtr& table : tables) {
    for (const ChannelPtr& channel : *table) {
      if (channel) topics.insert(channel->topic);
    }
  }
  return topics;
}

void check_channels(std::span<const BagPtr> bags, std::function<void(const Tables&)> check) {
  Tables tables = tables_of(bags);
  auto stream = std::find_if(bags.begin(), bags.end(), as_stream);
  if (stream == bags.end()) return check(tables);
  as_stream(*stream)->at_end([tables, check = std::move(check)](const Channels& channels) {
    Tables all = tables;
    all.push_back(std::make_shared<const Channels>(channels));
    check(all);
  });
}

Query make_query(const SelectOptions& options, std::span<const BagPtr> bags,
                 const std::string& about) {
  Query query;
  query.select = options.select;
  query.order = options.order;
  query.by = options.by;
  query.count = options.count;
  query.latched_before = options.with_latched;
  Selector selector(query.select);  // expressions that do not compile are reported first
  auto range = range_for(options, bags);
  // Bags without messages have no start to count from, and nothing to select; a range that is
  // absolute is checked all the same.
  if (range || has_only_absolute_times(options)) {
    apply_times(options, range.value_or(TimeRange{}), query);
  }
  if (range && !has_stream(bags)) {
    warn_of_empty_range(options, query, *range, bags.size() == 1, about);
  }
  check_channels(bags, [select = options.select, about](const Tables& tables) {
    require_all_match(select, tables);
    warn_of_idle_excludes(select, tables, about);
  });
  return query;
}

void require_fields(const std::vector<std::string>& fields, const Selection& select,
                    std::span<const BagPtr> bags, const Session& session) {
  if (fields.empty()) return;
  check_channels(bags, [fields, select, &session](const Tables& tables) {
    Selector selector(select);
    std::optional<Error> best_reason;  // the first, or one that names similar fields
    bool names_similar = false;
    for (const ChannelsPtr& table : tables) {
      for (const ChannelPtr& channel : *table) {
        if (!channel || !selector.matches(*channel)) continue;
        auto reason = missing_field(*channel, fields, session);
        if (!reason) return;
        bool helps = reason->message().find("; similar: ") != std::string::npos;
        if (!best_reason || (helps && !names_similar)) best_reason.emplace(*reason);
        names_similar |= helps;
      }
    }
    if (best_reason) throw Error(*best_reason);
  });
}

void require_topic(const std::string& topic, std::span<const BagPtr> bags) {
  check_channels(bags, [topic](const Tables& tables) {
    std::set<std::string> topics = known_topics(tables);
    if (topics.contains(topic)) return;
    throw_unmatched("unknown topic", topic, list_names(topic, "topics", topics));
  });
}

void require_topics(const std::vector<std::string>& patterns, std::span<const BagPtr> bags) {
  Selection selection;
  selection.topics = patterns;
  check_channels(bags, [selection](const Tables& tables) {
    require_matches(&Selection::topics, selection, "no topic matches", tables);
  });
}

std::uint64_t expected_messages(const Query& query, std::span<const BagPtr> bags) {
  Selector selector(query.select);
  // An estimate, for a progress bar: no message is read for it.
  double expected = 0;
  for (const BagPtr& bag : bags) {
    const Summary& summary = bag->summary();
    std::uint64_t selected = 0;
    for (std::size_t slot = 0; slot < summary.channels->size(); ++slot) {
      const ChannelPtr& channel = (*summary.channels)[slot];
      if (channel && selector.matches(*channel)) selected += summary.message_counts.at(slot);
    }
    expected += static_cast<double>(selected) * share_of_time(query, summary);
  }
  return std::min(query.count, static_cast<std::uint64_t>(expected));
}

std::unique_ptr<Source> only_where(std::unique_ptr<Source> source, const std::string& condition,
                                   OnError on_error, TranscodeReport& report,
                                   const Context& context) {
  if (condition.empty()) return source;
  return std::make_unique<ConditionThatFits>(std::move(source), condition, on_error, report,
                                             context.session);
}

}  // namespace kitbag::cli
