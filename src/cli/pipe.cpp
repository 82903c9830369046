#include "definitions.h"
#include "kitbag/live.h"
#include "kitbag/pipeline.h"
#include "live_system.h"
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
  Registry registry =
      with_transport(arguments.to, with_transport(arguments.from, context.registry));
  TranscodingOptions transcoding = encoded_for(arguments.to, arguments.transcoding, registry);
  Definitions definitions(arguments.definitions, context.registry);
  TranscodeReport report;
  auto publisher = publish(arguments.to, {context.stop, warn_of_system}, registry, context.clock);
  auto live = listen(arguments.from, {arguments.select, warn_of_system}, arguments.feed, registry,
                     context.clock);
  LiveSource& system = *live;
  std::unique_ptr<Source> source = std::move(live);
  if (!arguments.throttle.empty()) {
    source = through(std::move(source), throttle(arguments.throttle));
  }
  source = definitions.supply(std::move(source));
  source = only_where(std::move(source), arguments.where, arguments.on_error, UINT64_MAX, report,
                      context);
  source = transcoded(std::move(source), transcoding, arguments.on_error, report, context);
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
