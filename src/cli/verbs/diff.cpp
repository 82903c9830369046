#include <fmt/format.h>

#include "cli/options/inputs.h"
#include "cli/terminal/json.h"
#include "cli/terminal/output.h"
#include "cli/terminal/print.h"
#include "cli/terminal/progress.h"
#include "cli/terminal/signals.h"
#include "cli/verbs.h"
#include "kitbag/compare.h"
#include "kitbag/escape.h"
#include "kitbag/pipeline.h"

namespace kitbag::cli {
namespace {

std::string summary_line(const DiffArguments& arguments, const Comparison& comparison) {
  if (comparison.differences == 0) {
    return fmt::format("{} and {} hold the same {}", shown_path(arguments.a),
                       shown_path(arguments.b), counted(comparison.messages_a, "message"));
  }
  return fmt::format("{} and {} differ: {}; {} against {}", shown_path(arguments.a),
                     shown_path(arguments.b), counted(comparison.differences, "difference"),
                     counted(comparison.messages_a, "message"), grouped(comparison.messages_b));
}

}  // namespace

int diff(const DiffArguments& arguments, const Context& context) {
  Inputs inputs({arguments.a, arguments.b}, arguments.reading, context);
  Query query = make_query(arguments.select, inputs.bags());
  const BagPtr& bag_a = inputs.bags()[0];
  auto a = watched(read({bag_a}, query), expected_messages(query, {&bag_a, 1}), context);
  // The second bag has no progress of its own: both are read in step.
  auto b = read({inputs.bags()[1]}, query);
  Comparison comparison = compare(*a, *b, arguments.ignore_time, 10, context.stop);
  a.reset();  // erases the progress bar
  require_not_stopped(context.stop);
  if (arguments.as_json) {
    context.out.write(
        comparison_json(shown_path(arguments.a), shown_path(arguments.b), comparison) + "\n");
    int code = inputs.warn();
    return comparison.differences == 0 ? code : kNotSo;
  }
  for (const Difference& each : comparison.first) {
    context.out.line("{}: {}", each.topic, each.text);
  }
  context.out.line("{}", summary_line(arguments, comparison));
  int code = inputs.warn();
  return comparison.differences == 0 ? code : kNotSo;
}

}  // namespace kitbag::cli
