
#include "cli/options/live_system.h"
#include "cli/terminal/output.h"
#include "cli/terminal/print.h"
#include "cli/verbs.h"
#include "kitbag/live.h"
#include "kitbag/pipeline.h"

// A stop request does not end the loop but the system that is listened to: what it has sent until
// then goes through the stages to the other side, and the loop ends as at the end of a bag. The
// publisher is closed behind it, which waits for what is on its way, so the totals are those of
// what was sent. It may take longer than a process that was asked to stop is given; result_stands
// says that this is right.

namespace kitbag::cli {
namespace {

std::uint64_t sum(const std::vector<std::uint64_t>& numbers) {
  std::uint64_t all = 0;
  for (std::uint64_t number : numbers) all += number;
  return all;
}

}  // namespace

int pipe(const PipeArguments& arguments, const Context& context) {
  context.out.make_live_status();
  PayloadOptions payload = arguments.payload;
  payload.transcoding = encoded_for(arguments.to, payload.transcoding, context.session);
  PayloadStages stages(payload, context);
  // Before listening: a target that is not there ends the command before a message is taken.
  auto publisher = context.session.publish(arguments.to, {context.stop, warn_of_system});
  auto live = context.session.listen(arguments.from, {arguments.select, {}, warn_of_system},
                                     arguments.feed);
  LiveSource& system = *live;
  std::unique_ptr<Source> source = std::move(live);
  if (!arguments.throttle.empty()) {
    source = through(std::move(source), throttle(arguments.throttle));
  }
  source = stages.add_to(std::move(source));
  std::stop_callback on_signal(context.stop, [&] { system.stop(); });
  context.result_stands.emplace();
  Totals totals = run(*source, *publisher, context.clock);
  publisher->close();
  context.out.line("{}", describe(totals, source->channels()));
  if (std::uint64_t dropped = sum(system.dropped())) {
    print_warning(counted(dropped, "message") + " dropped");
  }
  if (std::uint64_t lost = sum(system.lost())) {
    print_warning(counted(lost, "message") + " lost before they reached kitbag");
  }
  stages.warn();
  return kDone;
}

}  // namespace kitbag::cli
