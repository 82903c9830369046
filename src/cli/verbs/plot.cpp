#include "kitbag/plot.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <string>
#include <tuple>

#include "cli/options/inputs.h"
#include "cli/options/select.h"
#include "cli/options/target.h"
#include "cli/terminal/output.h"
#include "cli/terminal/print.h"
#include "cli/terminal/progress.h"
#include "cli/terminal/signals.h"
#include "cli/terminal/width.h"
#include "cli/verbs.h"
#include "kitbag/file.h"
#include "kitbag/text.h"

// Names of fields are looked up before a message is read (plot_topics()), so a mistyped field is an
// error at once, and only topics with curves are read. A bag in a pipe has no topics before its
// messages; there the library finds the names on the way.

namespace kitbag::cli {
namespace {

/// The start of the earliest bag; absent: none has messages, or one comes through a pipe.
std::optional<Time> start_of(const Inputs& inputs) {
  std::optional<Time> start;
  if (inputs.has_stream()) return start;
  for (const BagPtr& bag : inputs.bags()) {
    const Summary& summary = bag->summary();
    if (summary.messages == 0) continue;
    start = start ? std::min(*start, summary.start) : summary.start;
  }
  return start;
}

/// A field without its topic, or a topic without its slash.
[[noreturn]] void throw_unknown(const std::string& word, const Inputs& inputs) {
  auto topics = known_topics(tables_of(inputs.bags()));
  std::string hint =
      fmt::format("; if it is a field, put the name of its topic in front: /odom.{}", word);
  for (std::size_t dot = word.find('.'); dot != word.npos; dot = word.find('.', dot + 1)) {
    if (topics.contains("/" + word.substr(0, dot))) hint = fmt::format("; did you mean /{}?", word);
  }
  throw Error(ErrorCode::invalid, fmt::format("there is no bag \"{}\"{}", word, hint));
}

Plot read_plot(const PlotArguments& arguments, PlotRequest request, PayloadStages& stages,
               const Inputs& inputs, const Context& context) {
  SelectOptions select = arguments.select;
  bool is_published = request.time == RowTime::publish_time;
  select.by = is_published ? TimeField::publish_time : TimeField::log_time;
  Query query = make_query(select, inputs.bags());
  if (!inputs.has_stream()) {
    std::vector<std::string> topics =
        plot_topics(*inputs.read(query)->channels(), request, context.session);
    // Topics that have no curve are not read. Of a pipe they are not known yet.
    query.select.topics.clear();
    query.select.topic_expressions.clear();
    for (const std::string& topic : topics) query.select.topics.push_back(exact_pattern(topic));
  }
  std::uint64_t count = query.count;
  if (!arguments.payload.where.empty()) query.count = UINT64_MAX;
  // The times of the header count from the first of them: they can be of another clock.
  if (request.time != RowTime::header_stamp) request.start = start_of(inputs);
  request.report = &stages.report();
  request.on_warning = [](const Error& warning) { print_warning(warning.what()); };
  auto source = inputs.read(query);
  source = watched(std::move(source), expected_messages(query, inputs.bags()), context);
  source = stages.add_to(std::move(source), count);
  return plot(std::move(source), request, context.session, {.stop = context.stop, .until = kNever});
}

std::string draw_text(const PlotArguments& arguments, const Plot& plot, const Context& context) {
  PlotStyle style = arguments.style;
  bool is_terminal = context.out.is_terminal() && arguments.output.empty();
  auto limited = [](std::size_t size, std::uint32_t least) {
    return static_cast<std::uint32_t>(
        std::clamp<std::size_t>(size, least, PlotStyle::kMostColumns));
  };
  // A line is left for the prompt.
  std::size_t columns = terminal_columns(is_terminal ? STDOUT_FILENO : -1);
  std::size_t lines = terminal_lines(is_terminal ? STDOUT_FILENO : -1) - (is_terminal ? 1 : 0);
  style.width = arguments.columns.value_or(limited(columns, PlotStyle::kLeastColumns));
  style.height = arguments.lines.value_or(limited(lines, PlotStyle::kLeastLines));
  Coloring coloring = arguments.coloring.value_or(Coloring::automatic);
  style.has_colors =
      coloring == Coloring::always || (coloring == Coloring::automatic && has_colors(is_terminal));
  return plot_text(plot, style);
}

std::string draw(const PlotArguments& arguments, const Plot& plot, const Context& context) {
  if (*arguments.format == PlotFormat::text) return draw_text(arguments, plot, context);
  PlotStyle style = arguments.style;
  style.is_dark = arguments.is_dark.value_or(false);
  if (arguments.pixels) std::tie(style.width, style.height) = *arguments.pixels;
  return *arguments.format == PlotFormat::svg ? plot_svg(plot, style) : plot_png(plot, style);
}

void save(const PlotArguments& arguments, const Plot& plot, const std::string& content,
          Output& out) {
  auto text = std::make_shared<const std::string>(content);
  save_file(*memory_file(as_bytes(*text), text), arguments.output, arguments.may_replace);
  if (arguments.output == "-") return;
  std::uint64_t values = 0;
  for (const PlotCurve& curve : plot.curves) values += curve.values;
  out.line("{}: {} of {}, {}", arguments.output, counted(values, "value"),
           counted(plot.curves.size(), "field"), format_size(content.size()));
}

}  // namespace

int plot_bags(const PlotArguments& arguments, const Context& context) {
  PayloadOptions payload = arguments.payload;
  payload.on_error = arguments.request.on_error;
  PayloadStages stages(payload, context);
  std::vector<std::string> paths = arguments.bags.paths(context);
  if (!arguments.output.empty()) {
    TargetOptions target;
    target.path = arguments.output;
    target.write.may_replace = arguments.may_replace;
    check_target(target, paths, context.session);
  }
  Inputs inputs(paths, arguments.reading, context,
                {.definitions = &stages.definitions(), .recursive = "-r"});
  if (!arguments.unknown.empty()) throw_unknown(arguments.unknown.front(), inputs);
  Plot plot = read_plot(arguments, arguments.request, stages, inputs, context);
  // Before the file is made, so that a plot that cannot be drawn leaves none.
  std::string content = draw(arguments, plot, context);
  require_not_stopped(context.stop);
  if (arguments.output.empty()) {
    context.out.write(content);
  } else {
    save(arguments, plot, content, context.out);
  }
  int code = inputs.warn();
  stages.warn();
  return code;
}

}  // namespace kitbag::cli
