#include "server/bags/catalog_events.h"

#include <algorithm>
#include <utility>
#include <vector>

// A change is made of the JSON that clients get, as for files. What is in it as it was before keeps
// its number: programs may know it by that.

namespace kitbag::server {
namespace {

std::string json_of(const std::vector<CatalogEvent>& stored) {
  std::vector<Event> events;
  for (const CatalogEvent& each : stored) {
    Event event{each.start, std::nullopt, each.name, each.description, each.metadata};
    if (each.end > each.start) event.end = each.end;
    events.push_back(std::move(event));
  }
  return events_json(std::move(events));
}

bool are_equal(const CatalogEvent& a, const CatalogEvent& b) {
  return a.start == b.start && a.end == b.end && a.name == b.name &&
         a.description == b.description && a.metadata == b.metadata;
}

std::vector<CatalogEvent> events_of(const std::string& json, std::vector<CatalogEvent> stored) {
  std::vector<CatalogEvent> events;
  for (const Event& each : parse_events(json).events) {
    CatalogEvent event{.start = each.start,
                       .end = each.end.value_or(each.start),
                       .name = each.label,
                       .description = each.description,
                       .metadata = each.metadata};
    auto same = std::find_if(stored.begin(), stored.end(), [&](const CatalogEvent& before) {
      return before.number != 0 && are_equal(before, event);
    });
    if (same != stored.end()) event.number = std::exchange(same->number, 0);
    events.push_back(std::move(event));
  }
  return events;
}

}  // namespace

std::string CatalogEvents::read(const BagEntry& bag) const {
  std::string text;
  pool_.read([&](Catalog& catalog) { text = json_of(catalog.events_of(bag.number)); });
  return text;
}

std::optional<std::string> CatalogEvents::update(
    const BagEntry& bag,
    const std::function<std::optional<std::string>(const std::string& stored)>& change) {
  std::optional<std::string> text;
  pool_.write([&](Catalog& catalog) {
    catalog.change_events(
        bag.number,
        [&](const std::vector<CatalogEvent>& stored) -> std::optional<std::vector<CatalogEvent>> {
          text = change(json_of(stored));
          if (!text) return std::nullopt;
          return events_of(*text, stored);
        });
  });
  return text;
}

}  // namespace kitbag::server
