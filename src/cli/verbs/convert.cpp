#include <fmt/format.h>

#include "cli/options/inputs.h"
#include "cli/terminal/output.h"
#include "cli/terminal/print.h"
#include "cli/terminal/progress.h"
#include "cli/verbs.h"
#include "kitbag/text.h"

namespace kitbag::cli {
namespace {

[[noreturn]] void throw_interrupted(const ConvertArguments& arguments, const Target& target) {
  std::string text = arguments.target.append     ? "interrupted; nothing was appended"
                     : target.files().size() > 1 ? "interrupted; none of the files was written"
                                                 : "interrupted; the bag was not written";
  throw Error(ErrorCode::cancelled, text,
              target.files().empty() ? arguments.target.path : target.name());
}

void print_totals(const Target& target, const Totals& totals, const ChannelsPtr& channels,
                  SteadyTime start, const Context& context) {
  if (target.name() == "-") return;  // which the bag itself has gone to
  context.out.make_status();
  context.out.line("{}: {}, {} on disk, {:.2f} s", target.name(), describe(totals, channels),
                   format_size(target.size_bytes()),
                   std::chrono::duration<double>(context.clock.steady() - start).count());
}

}  // namespace

int convert(const ConvertArguments& arguments, const Context& context) {
  SteadyTime start = context.clock.steady();
  check_target(arguments.target, arguments.inputs, context.session);
  PayloadStages stages(arguments.payload, context);
  Inputs inputs(arguments.inputs, arguments.reading, context);
  Query query = make_query(arguments.select, inputs.bags());
  std::uint64_t count = query.count;
  if (!arguments.payload.where.empty()) query.count = UINT64_MAX;
  auto source = renamed(inputs.read(query), arguments.renames, inputs);
  source = watched(std::move(source), expected_messages(query, inputs.bags()), context);
  source = stages.add_to(std::move(source), count);
  Target target(arguments.target, context);
  Totals totals = run(*source, target.sink(), context.clock, context.stop);
  if (context.stop.stop_requested()) throw_interrupted(arguments, target);
  // A file gives what it holds beside messages at once, a pipe as it comes.
  Batch rest;
  rest.channels = source->channels();
  rest.extras = inputs.read_remaining_extras(context.stop);
  if (!rest.extras.empty()) target.sink().write(std::move(rest));
  target.close();
  ChannelsPtr channels = source->channels();
  source.reset();  // erases the progress bar
  print_totals(target, totals, channels, start, context);
  int code = inputs.warn();
  stages.warn();
  return code;
}

}  // namespace kitbag::cli
