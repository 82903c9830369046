#include "catalog/event_rows.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "catalog/bag_rows.h"
#include "catalog/stored_text.h"

namespace kitbag::catalog {

void add_events(Database& database, const NumberedBags& bags) {
  std::map<std::int64_t, std::map<std::string, std::string>> metadata;  // by event
  bags.run(database,
           "SELECT bag, events.event, event_metadata.name, value FROM events "
           "JOIN event_metadata ON event_metadata.event = events.event WHERE bag IN ({})",
           [&](CatalogBag&, SqlRow& row) {
             metadata[whole_in(row, 1)][bytes_in(row, 2)] = bytes_in(row, 3);
           });
  bags.run(database,
           "SELECT bag, event, start_ns, end_ns, name, description FROM events WHERE bag IN ({}) "
           "ORDER BY bag, start_ns, event",
           [&](CatalogBag& bag, SqlRow& row) {
             std::int64_t number = whole_in(row, 1);
             bag.events.push_back({.number = number,
                                   .start = from_ns(whole_in(row, 2)),
                                   .end = from_ns(whole_in(row, 3)),
                                   .name = bytes_in(row, 4),
                                   .description = bytes_in(row, 5),
                                   .metadata = std::move(metadata[number])});
           });
}

std::vector<CatalogEvent> events_of(Database& database, std::int64_t number) {
  CatalogBag bag;
  bag.number = number;
  add_events(database, NumberedBags({&bag, 1}));
  return std::move(bag.events);
}

void insert_event(Database& database, std::int64_t bag, const CatalogEvent& event) {
  auto made = database.run(
      "INSERT INTO events (bag, start_ns, end_ns, name, description) "
      "VALUES ($1, $2, $3, $4, $5) RETURNING event",
      {bag, to_ns(event.start), to_ns(std::max(event.start, event.end)), stored_text(event.name),
       stored_text(event.description)});
  std::int64_t number = whole_in(made.at(0), 0);
  for (const auto& [name, value] : event.metadata) {
    database.run("INSERT INTO event_metadata (event, name, value) VALUES ($1, $2, $3)",
                 {number, stored_text(name), stored_text(value)});
  }
}

/// Events that stay are not touched and keep their numbers. New ones have the number 0.
void replace_events(Database& database, std::int64_t bag, const std::vector<CatalogEvent>& stored,
                    const std::vector<CatalogEvent>& events) {
  std::set<std::int64_t> kept;
  for (const CatalogEvent& event : events) kept.insert(event.number);
  for (const CatalogEvent& event : stored) {
    if (kept.contains(event.number)) continue;
    database.run("DELETE FROM events WHERE event = $1", {event.number});
  }
  for (const CatalogEvent& event : events) {
    if (event.number == 0) insert_event(database, bag, event);
  }
}

}  // namespace kitbag::catalog
