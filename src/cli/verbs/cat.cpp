#include <fmt/format.h>

#include "cli/options/inputs.h"
#include "cli/terminal/output.h"
#include "cli/terminal/print.h"
#include "cli/terminal/printed.h"
#include "cli/terminal/progress.h"
#include "cli/terminal/signals.h"
#include "cli/terminal/topic_files.h"
#include "cli/verbs.h"
#include "kitbag/compare.h"
#include "kitbag/escape.h"
#include "kitbag/pipeline.h"

//   bags --> merged by time --> stages (definitions, conditions) --> reversed (tail) --> printer
//
// Several bags are one stream, so their damage is reported at the end, by bag. Without a condition
// the bags themselves count the messages and stop; with one, the stages do, behind it.
//
// A terminal that is printed to has no progress: the messages are the progress.

namespace kitbag::cli {
namespace {

void print_digests(Source& source, const Context& context) {
  for (const TopicDigest& each : digest(source, context.stop)) {
    context.out.write(fmt::format("{}\t{}\t{}\t{}\n", escaped(each.topic), escaped(each.type),
                                  each.messages, each.sha256));
  }
}

void print_to_files(Source& source, const std::string& folder, const PrintingOptions& options,
                    TranscodeReport& report, const Context& context) {
  TopicFiles files(folder, options, report, context);
  run(source, files, context.clock, context.stop);
  files.close();
  for (const auto& [topic, file] : files.files()) {
    context.out.line("{}: {} of {}", file->path.string(), counted(file->messages, "message"),
                     topic);
  }
}

}  // namespace

int cat(const CatArguments& arguments, const Context& context) {
  PrintingOptions print = arguments.print;
  bool as_digest = !arguments.format;
  if (arguments.format) print.format = *arguments.format;
  require_fields_fit(print, as_digest);
  if (as_digest && !arguments.folder.empty()) {
    throw Error(ErrorCode::invalid, "--split-by-topic requires --format json, yaml or csv");
  }
  PayloadOptions payload = arguments.payload;
  payload.on_error = print.on_error;
  PayloadStages stages(payload, context);
  InputOptions options{
      .skips_unreadable = true, .definitions = &stages.definitions(), .recursive = "-r"};
  if (arguments.bags.are_several(context) && !as_digest) {
    options.tells_files = true;
    print.file_of = file_of;
  }
  Inputs inputs(arguments.bags.paths(context), arguments.reading, context, options);
  Query query = make_query(arguments.select, inputs.bags());
  require_fields(print.fields, query.select, inputs.bags(), context.session);
  // A digest has to be the same for each order in which the messages are stored.
  if (as_digest) query.order = Order::time;
  std::uint64_t count = query.count;
  if (payload.selects()) query.count = UINT64_MAX;
  auto source = inputs.read(query);
  if (as_digest || !context.out.is_terminal()) {
    source = watched(std::move(source), expected_messages(query, inputs.bags()), context);
  }
  source = stages.add_to(std::move(source), count);
  if (arguments.is_tail) source = reversed(std::move(source));
  if (as_digest) {
    print_digests(*source, context);
  } else if (!arguments.folder.empty()) {
    print_to_files(*source, arguments.folder, print, stages.report(), context);
  } else {
    run(*source, *printer_to(context, print, stages.report()), context.clock, context.stop);
  }
  require_not_stopped(context.stop);
  int code = inputs.warn();
  stages.warn();
  return code;
}

}  // namespace kitbag::cli
