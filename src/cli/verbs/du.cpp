#include <fmt/format.h>

#include <utility>

#include "cli/options/inputs.h"
#include "cli/terminal/json.h"
#include "cli/terminal/output.h"
#include "cli/terminal/print.h"
#include "cli/terminal/progress.h"
#include "cli/terminal/table.h"
#include "cli/verbs.h"
#include "kitbag/text.h"
#include "kitbag/usage.h"

namespace kitbag::cli {
namespace {

std::string usage_table(const std::vector<TopicUsage>& all, bool is_terminal) {
  std::uint64_t total = 0;
  for (const TopicUsage& usage : all) total += usage.bytes;
  std::vector<Cells> lines = {{"size", "share", "messages", "mean", "topic", "type"}};
  for (const TopicUsage& usage : all) {
    double share =
        total > 0 ? 100.0 * static_cast<double>(usage.bytes) / static_cast<double>(total) : 0;
    lines.push_back({format_size(usage.bytes), fmt::format("{:.1f} %", share),
                     grouped(usage.messages), format_size(usage.bytes / usage.messages),
                     usage.topic, usage.type});
  }
  return layout_table(lines, {true, true, true, true, false, false}, is_terminal);
}

std::string usage_json(const std::vector<TopicUsage>& all, const std::string* file) {
  std::vector<Cells> rows;
  rows.reserve(all.size());
  for (const TopicUsage& usage : all) {
    rows.push_back(
        {usage.topic, usage.type, std::to_string(usage.messages), std::to_string(usage.bytes)});
  }
  std::vector<std::string> names = {"topic", "type", "messages", "size_bytes"};
  std::vector<bool> are_numbers = {false, false, true, true};
  if (file) return rows_json(*file, names, are_numbers, rows);
  return table_json(names, are_numbers, rows) + "\n";
}

int du_of(const std::string& path, const DuArguments& arguments, bool is_first,
          const Context& context) {
  bool are_several = arguments.bags.are_several(context);
  Inputs inputs({path}, arguments.reading, context, {.recursive = "-r"});
  Query query = make_query(arguments.select, inputs.bags());
  auto source = watched(inputs.read(query), expected_messages(query, inputs.bags()), context);
  auto all = usage(*source, context.stop);
  source.reset();  // erases the progress bar
  if (arguments.as_json) {
    context.out.write(usage_json(all, are_several ? &path : nullptr));
    return inputs.warn();
  }
  if (are_several) print_bag_heading(path, is_first, context.out);
  context.out.write(usage_table(all, context.out.is_terminal()));
  return inputs.warn();
}

}  // namespace

int du(const DuArguments& arguments, const Context& context) {
  bool is_first = true;
  auto print = [&](const std::string& path) {
    return du_of(path, arguments, std::exchange(is_first, false), context);
  };
  return for_each_bag(arguments.bags.paths(context), context, print);
}

}  // namespace kitbag::cli
