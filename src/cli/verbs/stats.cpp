#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/options/definitions.h"
#include "cli/options/inputs.h"
#include "cli/terminal/json.h"
#include "cli/terminal/output.h"
#include "cli/terminal/print.h"
#include "cli/terminal/progress.h"
#include "cli/terminal/table.h"
#include "cli/verbs.h"
#include "kitbag/escape.h"
#include "kitbag/statistics.h"
#include "kitbag/text.h"

namespace kitbag::cli {
namespace {

using All = std::vector<TopicStatistics>;

std::string milliseconds(Duration duration) {
  return fmt::format("{:.3f} ms", static_cast<double>(duration.count()) / 1e6);
}

/// How many of these periods are in a second; 0 where they take no time.
double rate_hz(Duration period) {
  return period > Duration::zero() ? 1e9 / static_cast<double>(period.count()) : 0;
}

std::string rate_text(Duration period) {
  double rate = rate_hz(period);
  if (rate <= 0) return "-";
  return rate < 100 ? fmt::format("{:.3g} Hz", rate) : fmt::format("{:.0f} Hz", rate);
}

double mean_bytes(const TopicStatistics& topic) {
  return static_cast<double>(topic.bytes) / static_cast<double>(topic.messages);
}

double bytes_per_second(const TopicStatistics& topic) {
  return topic.periods ? mean_bytes(topic) * rate_hz(topic.periods->mean) : 0;
}

std::string bytes_text(double bytes) {
  return format_size(static_cast<std::uint64_t>(std::min(bytes, 1e18)));
}

std::string periods_table(const All& all, bool has_gaps, bool is_terminal) {
  std::vector<Cells> lines = {
      {"messages", "rate", "median", "jitter", "longest gap", "mean size", "a second", "topic"}};
  for (const TopicStatistics& topic : all) {
    Cells cells = {grouped(topic.messages),       "-", "-",        "-", "-",
                   bytes_text(mean_bytes(topic)), "-", topic.topic};
    if (const auto& periods = topic.periods) {
      cells[1] = rate_text(periods->mean);
      cells[2] = rate_text(periods->median);
      cells[3] = milliseconds(periods->deviation);
      cells[4] = format_duration(periods->most);
      if (periods->mean > Duration::zero()) cells[6] = bytes_text(bytes_per_second(topic));
    }
    lines.push_back(std::move(cells));
  }
  if (has_gaps) {  // behind the longest
    lines.front().insert(lines.front().begin() + 5, "gaps");
    for (std::size_t i = 0; i < all.size(); ++i) {
      lines[i + 1].insert(lines[i + 1].begin() + 5, grouped(all[i].gaps));
    }
  }
  std::vector<bool> to_right(lines.front().size(), true);
  to_right.back() = false;
  return layout_table(std::move(lines), to_right, is_terminal);
}

/// Empty if no message has a stamp.
std::string latency_table(const All& all, bool is_terminal) {
  std::vector<Cells> lines = {{"stamps", "least", "mean", "median", "99 %", "most", "topic"}};
  for (const TopicStatistics& topic : all) {
    if (!topic.latency) continue;
    const DurationStatistics& latency = *topic.latency;
    lines.push_back({grouped(latency.count), milliseconds(latency.least),
                     milliseconds(latency.mean), milliseconds(latency.median),
                     milliseconds(latency.percentile_99), milliseconds(latency.most), topic.topic});
  }
  if (lines.size() == 1) return {};
  return "\nlatency, from header.stamp to log time:\n" +
         layout_table(std::move(lines), {true, true, true, true, true, true, false}, is_terminal);
}

/// The figures of a topic by the names that they have in JSON; "null" stands for those that it does
/// not have.
struct Figures {
  std::vector<std::string> names;
  std::vector<bool> are_numbers;
  Cells cells;

  void add(const std::string& name, const std::string& text, bool is_number = true) {
    names.push_back(name);
    are_numbers.push_back(is_number);
    cells.push_back(text);
  }
  template <class Number>
  void add_if(bool is_there, const std::string& name, Number number) {
    add(name, is_there ? fmt::format("{}", number) : "null");
  }
  void add_durations(const std::string& prefix, const std::optional<DurationStatistics>& all) {
    DurationStatistics durations = all.value_or(DurationStatistics());
    const std::pair<const char*, Duration> parts[] = {
        {"least", durations.least},   {"mean", durations.mean},
        {"median", durations.median}, {"p99", durations.percentile_99},
        {"most", durations.most},     {"deviation", durations.deviation},
    };
    for (const auto& [name, duration] : parts) {
      add_if(all.has_value(), fmt::format("{}_{}_ns", prefix, name), duration.count());
    }
  }
};

Figures figures_of(const TopicStatistics& topic, bool has_gaps) {
  Figures figures;
  figures.add("topic", topic.topic, false);
  figures.add("type", topic.type, false);
  figures.add("messages", std::to_string(topic.messages));
  figures.add("size_bytes", std::to_string(topic.bytes));
  figures.add("start_ns", std::to_string(to_ns(topic.start)));
  figures.add("duration_ns", std::to_string(topic.duration().count()));
  double mean_rate = topic.periods ? rate_hz(topic.periods->mean) : 0;
  double median_rate = topic.periods ? rate_hz(topic.periods->median) : 0;
  figures.add_if(mean_rate > 0, "rate_hz", mean_rate);
  figures.add_if(median_rate > 0, "median_rate_hz", median_rate);
  figures.add_if(true, "mean_size_bytes", mean_bytes(topic));
  figures.add_if(mean_rate > 0, "bytes_per_second", bytes_per_second(topic));
  figures.add_durations("period", topic.periods);
  figures.add_if(topic.periods.has_value(), "longest_gap_start_ns", to_ns(topic.longest_gap_start));
  figures.add_if(has_gaps, "gaps", topic.gaps);
  figures.add("stamps", std::to_string(topic.latency ? topic.latency->count : 0));
  figures.add_durations("latency", topic.latency);
  return figures;
}

std::string statistics_json(const All& all, bool has_gaps, const std::string* file) {
  std::vector<Cells> rows;
  rows.reserve(all.size());
  Figures figures;  // the names are those of each topic
  for (const TopicStatistics& topic : all) {
    figures = figures_of(topic, has_gaps);
    rows.push_back(std::move(figures.cells));
  }
  if (file) return rows_json(*file, figures.names, figures.are_numbers, rows);
  return table_json(figures.names, figures.are_numbers, rows) + "\n";
}

int stats_of(const std::string& path, const StatsArguments& arguments, bool is_first,
             const Context& context) {
  bool are_several = arguments.bags.are_several(context);
  Inputs inputs({path}, arguments.reading, context, {.recursive = "-r"});
  Query query = make_query(arguments.select, inputs.bags());
  Definitions definitions(arguments.definitions, context.session);
  StatisticsOptions options;
  options.gap = arguments.gap;
  std::optional<Error> problem;
  options.on_problem = [&](const Error& error) { problem.emplace(error); };
  auto source = watched(inputs.read(query), expected_messages(query, inputs.bags()), context);
  source = definitions.supply(std::move(source));
  All all = statistics(*source, options, context.session, {context.stop});
  source.reset();  // erases the progress bar
  bool has_gaps = arguments.gap.has_value();
  if (arguments.as_json) {
    context.out.write(statistics_json(all, has_gaps, are_several ? &path : nullptr));
  } else {
    if (are_several) print_bag_heading(path, is_first, context.out);
    bool is_terminal = context.out.is_terminal();
    context.out.write(periods_table(all, has_gaps, is_terminal) + latency_table(all, is_terminal));
  }
  int code = inputs.warn();
  definitions.warn(are_several ? shown_path(path) + ": " : "");
  if (problem) {
    print_warning(fmt::format("{}; the latency of such messages is left out", problem->what()));
  }
  return code;
}

}  // namespace

int stats(const StatsArguments& arguments, const Context& context) {
  bool is_first = true;
  auto print = [&](const std::string& path) {
    return stats_of(path, arguments, std::exchange(is_first, false), context);
  };
  return for_each_bag(arguments.bags.paths(context), context, print);
}

}  // namespace kitbag::cli
