#include "storage/chunked/reading.h"

#include <utility>

#include "kitbag/selector.h"
#include "storage/chunked/by_publish_time.h"

// From a query to what a source or a prefetcher works through: the wanted slots, the plan of
// chunks, and the table of channels in which those that are not wanted are null. Publish times are
// looked at only if the store has them; elsewhere they are the log times.

namespace kitbag {

Reading reading_of(std::shared_ptr<const ChunkStore> store, const Query& query, const Wait& wait) {
  Reading reading;
  reading.store = std::move(store);
  reading.order = query.order;
  reading.on_problem = query.on_problem;
  reading.remaining = query.count;
  Wanted& wanted = reading.wanted;
  Selector selector(query.select);
  auto table = std::make_shared<Channels>(*reading.store->channels());
  for (ChannelPtr& channel : *table) {
    bool selected = channel && selector.matches(*channel);
    wanted.slots.push_back(selected ? 1 : 0);
    if (!selected) channel = nullptr;
  }
  reading.channels = std::move(table);
  wanted.begin = query.begin;
  wanted.end = query.end;
  if (reading.store->has_publish_times()) wanted.by = query.by;
  if (wanted.by == TimeField::publish_time) {
    const OnProblem& listener = reading.store->listener(query.on_problem);
    reading.store = by_publish_time(reading.store, listener, wait);
  }
  Plan plan = make_plan(*reading.store, query, wanted, wait);
  reading.start = plan.start;
  reading.plan = std::make_shared<const std::vector<std::uint32_t>>(std::move(plan.chunks));
  return reading;
}

std::vector<std::uint32_t> chunks_to_load(const Reading& reading) {
  std::vector<std::uint32_t> chunks;
  for (const OpenPlace& place : reading.open) chunks.push_back(place.chunk);
  auto next = reading.plan->begin() + static_cast<std::ptrdiff_t>(reading.next);
  chunks.insert(chunks.end(), next, reading.plan->end());
  return chunks;
}

}  // namespace kitbag
