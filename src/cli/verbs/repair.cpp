#include "kitbag/repair.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "cli/options/definitions.h"
#include "cli/options/inputs.h"
#include "cli/options/select.h"
#include "cli/options/target.h"
#include "cli/terminal/json.h"
#include "cli/terminal/output.h"
#include "cli/terminal/print.h"
#include "cli/terminal/progress.h"
#include "cli/verbs.h"
#include "kitbag/text.h"

namespace kitbag::cli {
namespace {

/// "31 messages", "at least 31 messages", "an unknown number of messages"
std::string lost_messages(const Damage& damage) {
  if (damage.is_exact()) return counted(damage.lost_messages(), "message");
  if (damage.lost_messages() == 0) return "an unknown number of messages";
  return fmt::format("at least {}", counted(damage.lost_messages(), "message"));
}

/// "3 places of damage; lost: 31 messages at 2 places, 7,135 bytes, 812ms"
std::string verdict(const Repaired& repaired) {
  const Damage& damage = repaired.damage;
  if (!repaired.is_written) return "sound; not changed";
  std::string text =
      damage.count() == 0 ? "no damage" : counted(damage.count(), "place") + " of damage";
  if (damage.losses() == 0 && damage.differences() > 0) {
    return text + "; no loss is known, but the index promised other messages";
  }
  if (damage.losses() == 0) return text + "; nothing is lost";
  text += fmt::format("; lost: {} at {}", lost_messages(damage), counted(damage.losses(), "place"));
  if (damage.lost_bytes() > 0) text += ", " + counted(damage.lost_bytes(), "byte");
  if (damage.lost_time() > Duration::zero()) text += ", " + format_duration(damage.lost_time());
  return text;
}

void print_report(const std::string& from, const std::string& to, const Repaired& repaired,
                  Duration taken, const Context& context) {
  if (repaired.is_written) {
    context.out.line("{}: {}, {:.2f} s", to, describe(repaired.totals, repaired.channels),
                     std::chrono::duration<double>(taken).count());
  }
  context.out.line("{}: {}", from, verdict(repaired));
}

}  // namespace

int repair(const RepairArguments& arguments, const Context& context) {
  // The bag is the result: nobody reading the report is no reason to end. As JSON it was asked for.
  if (!arguments.as_json) context.out.make_status();
  SteadyTime start = context.clock.steady();
  const std::string& from = arguments.paths.front();
  const std::string& to = arguments.paths.back();
  TargetOptions target;
  target.path = to;
  target.write = arguments.write;
  if (!arguments.in_place) check_target(target, std::span(&from, 1), context.session);
  Definitions definitions(arguments.definitions, context.session);
  std::vector<Error> left_out;

  RepairOptions options;
  options.write = arguments.write;
  if (!arguments.write.compression.empty()) options.compression = arguments.write.compression;
  options.read = arguments.reading.with({});
  options.write.on_warning = [&](const Error& warning) { left_out.push_back(warning); };
  options.on_problem = [&](const Error& problem) {
    if (!arguments.as_json) context.out.line("{}", problem_text(problem));
  };
  options.through = [&](std::unique_ptr<Source> source, const Bag& bag) {
    return watched(definitions.supply(std::move(source)), bag.summary().messages, context);
  };
  Repaired repaired = kitbag::repair(from, to, options, context.session, context.stop);

  if (arguments.as_json) {
    context.out.write(repair_json(from, to, repaired) + "\n");
  } else {
    print_report(from, to, repaired, context.clock.steady() - start, context);
  }
  for (const Error& warning : left_out) print_warning(warning.what());
  definitions.warn();
  return repaired.damage.is_costly() ? kNotSo : kDone;
}

}  // namespace kitbag::cli
