#include <fmt/format.h>

#include "cli/options/definitions.h"
#include "cli/options/inputs.h"
#include "cli/options/many_bags.h"
#include "cli/terminal/json.h"
#include "cli/terminal/output.h"
#include "cli/terminal/print.h"
#include "cli/verbs.h"
#include "kitbag/fields.h"
#include "kitbag/text.h"

namespace kitbag::cli {
namespace {

void print_bag(const std::string& path, const Summary& summary, bool as_json, Output& out) {
  if (as_json) return out.write(found_json(path, summary) + "\n");
  if (summary.messages == 0) return out.line("{}: empty", path);
  out.line("{}: {}, {}, {}", path, format_time(summary.start),
           format_duration(saturating_difference(summary.start, summary.end)),
           counted(summary.messages, "message"));
}

void print_moment(const std::string& path, const Moment& moment, bool as_json, Output& out) {
  if (as_json) return out.write(moment_json(path, moment) + "\n");
  out.line("{}: {} {} {}; {}, {}", path, format_time(moment.start), moment.topic, moment.value,
           counted(moment.messages, "message"),
           format_duration(saturating_difference(moment.start, moment.end)));
}

int find_in(const std::string& path, const FindArguments& arguments, const Context& context) {
  Definitions definitions(arguments.definitions, context.session);
  Inputs inputs({path}, arguments.reading, context, {.definitions = &definitions});
  inputs.read_stream(context.stop);
  const Bag& bag = *inputs.bags().front();
  if (!fits(bag.summary(), arguments.query)) return kDone;  // its damage is not asked for
  if (arguments.query.where.empty()) {
    print_bag(path, bag.summary(), arguments.as_json, context.out);
    return inputs.warn();
  }
  find_moments(
      bag, arguments.query, context.session,
      [&](const Moment& moment) { print_moment(path, moment, arguments.as_json, context.out); },
      context.stop);
  definitions.warn(path + ": ");
  return inputs.warn();
}

}  // namespace

int find(const FindArguments& arguments, const Context& context) {
  // What is not valid is one error, and not one of each bag.
  static_cast<void>(Definitions(arguments.definitions, context.session));
  if (!arguments.query.where.empty()) {
    static_cast<void>(fields_of_condition(arguments.query.where));
  }
  ManyBags bags{arguments.places, true};
  return for_each_bag(bags.paths(context), context,
                      [&](const std::string& path) { return find_in(path, arguments, context); });
}

}  // namespace kitbag::cli
