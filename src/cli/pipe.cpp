#include "definitions.h"
#include "kitbag/live.h"
#include "kitbag/pipeline.h"
#include "output.h"
#include "print.h"
#include "verbs.h"

namespace kitbag::cli {
namespace {

std::uint64_t sum(const std::vector<std::uint64_t>& numbers) {
  std::uint64_t all = 0;
  for (std::uint64_t number : numbers) all += number;
  return all;
}

}  // namespace

int pipe(const PipeArguments& arguments, const Context& context) {
  Definitions definitions(arguments.definitions, context.registry);
  TranscodeReport report;
  Subscription wanted{arguments.select,
                      [](const Error& warning) { print_warning(warning.what()); }};
  auto publisher = publish(arguments.to, context.registry, context.clock, context.stop);
  auto live = listen(arguments.from, wanted, arguments.feed, context.registry, context.clock);
  LiveSource& system = *live;
  std::unique_ptr<Source> source = std::move(live);
  if (!arguments.throttle.empty()) {
    source = through(std::move(source), throttle(arguments.throttle));
  }
  source = definitions.supply(std::move(source));
  source = only_where(std::move(source), arguments.where, arguments.on_error, UINT64_MAX, report,
                      context);
  source =
      transcoded(std::move(source), arguments.transcoding, arguments.on_error, report, context);
  std::stop_callback on_signal(context.stop, [&] { system.stop(); });
  Totals totals = run(*source, *publisher, context.clock);
  publisher->close();
  context.out.print("{}\n", describe(totals, source->channels()));
  if (std::uint64_t dropped = sum(system.dropped())) {
    print_warning(counted(dropped, "message") + " dropped");
  }
  definitions.warn();
  warn_of(report);
  return kDone;
}

}  // namespace kitbag::cli
