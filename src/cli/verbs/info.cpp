#include <fmt/format.h>

#include <utility>

#include "cli/options/inputs.h"
#include "cli/terminal/bag_info.h"
#include "cli/terminal/json.h"
#include "cli/terminal/output.h"
#include "cli/terminal/print.h"
#include "cli/terminal/progress.h"
#include "cli/terminal/rosbag_yaml.h"
#include "cli/terminal/table.h"
#include "cli/verbs.h"
#include "kitbag/calls.h"
#include "kitbag/text.h"
#include "kitbag/usage.h"

namespace kitbag::cli {
namespace {

std::string milliseconds(double seconds) {
  return fmt::format("{:.3f} ms", 1000 * seconds);
}

/// Rates and jitter by topic, which takes reading all messages.
std::string timing_table(const Bag& bag, const Context& context) {
  auto source = watched(bag.read(), bag.summary().messages, context);
  std::vector<Cells> lines = {
      {"topic", "mean period", "jitter", "shortest", "longest", "mean size", "bytes/s"}};
  // One pass for this, and one for the calls; without --verbose no message is read.
  for (const TopicTiming& timing : timings(*source, context.stop)) {
    double mean_size = static_cast<double>(timing.bytes) / static_cast<double>(timing.messages);
    bool has_rate = timing.mean_s > 0;
    lines.push_back(
        {timing.topic, has_rate ? milliseconds(timing.mean_s) : "-",
         has_rate ? milliseconds(timing.deviation_s) : "-",
         has_rate ? milliseconds(timing.least_s) : "-",
         has_rate ? milliseconds(timing.most_s) : "-",
         format_size(static_cast<std::uint64_t>(mean_size)),
         has_rate ? format_size(static_cast<std::uint64_t>(mean_size / timing.mean_s)) : "-"});
  }
  return layout_table(lines, {false, true, true, true, true, true, true},
                      context.out.is_terminal());
}

/// How often services were called, which takes reading their events; empty if there are none.
std::string calls_table(const Bag& bag, const Context& context) {
  Query query;
  query.select.topic_expressions = {".*" + std::string(kServiceEventSuffix)};
  query.order = Order::file;
  auto source = bag.read(query);
  std::vector<Cells> lines = {{"service", "requests", "responses", "unread"}};
  for (const CallCount& count : call_counts(*source, context.stop)) {
    lines.push_back({count.topic.substr(0, count.topic.size() - kServiceEventSuffix.size()),
                     grouped(count.requests), grouped(count.responses), grouped(count.unread)});
  }
  if (lines.size() == 1) return {};
  return layout_table(lines, {false, true, true, true}, context.out.is_terminal());
}

int info_of(const std::string& path, const InfoArguments& arguments, bool is_first,
            const Context& context) {
  Inputs inputs({path}, arguments.reading, context, {.recursive = "-r"});
  if (arguments.is_verbose && inputs.has_stream()) {
    throw Error(ErrorCode::unsupported,
                "--verbose reads the bag twice, but a pipe can be read only once; save the bag to "
                "a file first",
                "-");
  }
  const Bag& bag = *inputs.bags().front();
  BagInfo info = describe_bag(path, bag, context.stop);
  if (arguments.as_json) {
    std::string json = info_json({&info, 1});
    context.out.write((arguments.bags.are_several(context) ? on_one_line(json) : json) + "\n");
    return inputs.warn();
  }
  if (arguments.as_yaml) {
    // Between documents of YAML; rosbag prints one bag.
    if (!is_first) context.out.write("---\n");
    context.out.write(rosbag_yaml(info, bag, arguments.key));
    return inputs.warn();
  }
  if (!is_first) context.out.write("\n");
  context.out.write(info_text(info, context.out.is_terminal()));
  if (arguments.is_verbose) {
    context.out.write("\n" + timing_table(bag, context));
    std::string calls = calls_of(info).empty() ? "" : calls_table(bag, context);
    if (!calls.empty()) context.out.write("\n" + calls);
  }
  return inputs.warn();
}

}  // namespace

int info(const InfoArguments& arguments, const Context& context) {
  if (arguments.as_json + arguments.is_verbose + arguments.as_yaml > 1) {
    throw Error(ErrorCode::invalid, "--verbose, --json and --yaml cannot be combined");
  }
  if (!arguments.key.empty() && !arguments.as_yaml) {
    throw Error(ErrorCode::invalid, "--key requires --yaml");
  }
  bool is_first = true;
  auto describe = [&](const std::string& path) {
    return info_of(path, arguments, std::exchange(is_first, false), context);
  };
  return for_each_bag(arguments.bags.paths(context), context, describe);
}

}  // namespace kitbag::cli
