#include "kitbag/pipeline.h"

// The sink's deadline bounds each read, so that a chunk is closed or a status is shown in time even
// when no message comes. tick() is called between batches, on the same thread: no sink needs a lock
// for its housekeeping.
//
// The channels are written before the first message. So a bag without messages still has its
// channels, and a publisher can declare its topics before there is something to send.

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
    // What the sink has left in it is let go before the read, which may wait for long: no chunk
    // should stay alive meanwhile.
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
