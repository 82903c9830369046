#include "kitbag/pipeline.h"

namespace kitbag {
namespace {

void tick_if_due(Sink& sink, const Clock& clock) {
  if (sink.due() == kNever) return;  // most sinks: no look at the clock
  SteadyTime now = clock.steady();
  if (now >= sink.due()) sink.tick(now);
}

}  // namespace

Totals run(Source& source, Sink& sink, Clock& clock, std::stop_token stop) {
  Totals totals;
  Batch batch;
  batch.channels = source.channels();
  sink.write(std::move(batch));
  while (!stop.stop_requested()) {
    batch.clear();
    if (!source.read(batch, Wait{stop, sink.due()})) break;
    totals.messages += batch.messages().size();
    totals.bytes += batch.payload();
    sink.write(std::move(batch));
    tick_if_due(sink, clock);
  }
  sink.flush();
  return totals;
}

}  // namespace kitbag
