#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "catalog/bag_details.h"
#include "kitbag/catalog.h"
#include "kitbag/database.h"

// Rows of the tables `events` and `event_metadata`. All of these throw as Database::run() does.

namespace kitbag::catalog {

/// Adds their events to the bags, by time.
void add_events(Database& database, const NumberedBags& bags);
/// The events of a bag, by time.
std::vector<CatalogEvent> events_of(Database& database, std::int64_t bag);
/// Its number is new. Runs in the caller's transaction, as the next one does.
void insert_event(Database& database, std::int64_t bag, const CatalogEvent& event);
/// Makes `events` those of the bag. Those with a number are `stored` and stay as they are.
void replace_events(Database& database, std::int64_t bag, const std::vector<CatalogEvent>& stored,
                    const std::vector<CatalogEvent>& events);

}  // namespace kitbag::catalog
