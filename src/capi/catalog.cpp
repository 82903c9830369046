#include "kitbag/catalog.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "capi/call.h"
#include "kitbag/c.h"
#include "kitbag/definitions.h"

// A function of the caller that returns false ends a call as a stop token does: what was found
// until then has been given. An exception of Catalog is not thrown through it.
//
// What a function of the caller gets is put together on the stack: texts are those of the C++
// objects, and are valid during the call alone.

struct kitbag_catalog {
  kitbag::Catalog catalog;
};

namespace kitbag::c {

namespace {

std::map<std::string, std::string> tags_of(const kitbag_pair* pairs) {
  std::map<std::string, std::string> tags;
  for (; pairs && pairs->name; ++pairs) tags[pairs->name] = text_of(pairs->value);
  return tags;
}

std::vector<std::string> texts_of(const char* const* texts, std::size_t count, const char* name) {
  std::vector<std::string> all;
  for (std::size_t i = 0; i < count; ++i) {
    const char* text = (&require(texts, name))[i];
    all.emplace_back(&require(text, name));
  }
  return all;
}

/// Damage is noted in the catalog.
void ignore(const Error&) {}

CatalogAddOptions options_of(const kitbag_adding* given) {
  auto known = versioned<kitbag_adding>(given, KITBAG_ADDING_INIT, "the kitbag_adding");
  CatalogAddOptions options;
  options.read.on_problem = ignore;
  options.reads_messages = !known.index_only;
  options.tags = tags_of(known.tags);
  return options;
}

CatalogQuery query_of(const kitbag_catalog_query* given) {
  auto known = versioned<kitbag_catalog_query>(given, KITBAG_CATALOG_QUERY_INIT, "the query");
  CatalogQuery query;
  query.query.select.topics = texts_of(known.topics, known.topic_count, "topics of the query");
  query.query.select.types = texts_of(known.types, known.type_count, "types of the query");
  query.query.begin = from_ns(known.start);
  query.query.end = known.end == INT64_MAX ? Time::max() : from_ns(known.end);
  query.query.longer_than = Duration(std::max<std::int64_t>(0, known.longer_than));
  query.query.where = text_of(known.where);
  query.tags = tags_of(known.tags);
  query.text = text_of(known.text);
  query.is_newest_first = known.newest_first;
  query.most = known.most;
  return query;
}

kitbag_change change_of(CatalogChange change) {
  switch (change) {
    case CatalogChange::added:
      return KITBAG_ADDED;
    case CatalogChange::unchanged:
      return KITBAG_UNCHANGED;
    case CatalogChange::updated:
      return KITBAG_UPDATED;
    case CatalogChange::moved:
      return KITBAG_MOVED;
    case CatalogChange::copied:
      return KITBAG_COPIED;
    case CatalogChange::replaced:
      return KITBAG_REPLACED;
  }
  return KITBAG_UNCHANGED;
}

bool give(const CatalogBag& bag, kitbag_on_bag on_bag, void* context) {
  std::vector<const char*> topics;
  std::vector<const char*> types;
  std::vector<const char*> encodings;
  std::vector<std::uint64_t> counts;
  for (const CatalogTopic& each : bag.topics) {
    topics.push_back(each.topic.c_str());
    types.push_back(each.type.c_str());
    encodings.push_back(each.encoding.c_str());
    counts.push_back(each.messages);
  }
  std::vector<kitbag_pair> tags;
  for (const auto& [name, value] : bag.tags) tags.push_back({name.c_str(), value.c_str()});
  tags.push_back({nullptr, nullptr});
  std::vector<kitbag_event> events;
  for (const CatalogEvent& each : bag.events) {
    events.push_back({each.number, to_ns(each.start), to_ns(each.end), each.name.c_str()});
  }
  kitbag_catalog_bag given{};
  given.number = bag.number;
  given.path = bag.paths.empty() ? "" : bag.paths.front().c_str();
  given.fingerprint = bag.fingerprint.c_str();
  given.format = bag.format.c_str();
  given.damage = bag.damage.c_str();
  given.note = bag.note.c_str();
  given.file_size = bag.size_bytes;
  given.message_count = bag.messages;
  given.start = to_ns(bag.start);
  given.end = to_ns(bag.end);
  given.topic_count = topics.size();
  given.topics = topics.data();
  given.types = types.data();
  given.encodings = encodings.data();
  given.topic_counts = counts.data();
  given.tags = tags.data();
  given.events = events.data();
  given.event_count = events.size();
  return on_bag(context, &given);
}

/// Ends Catalog::find() for a caller who has enough.
struct Enough {};

void find(Catalog& catalog, const CatalogQuery& query, kitbag_on_bag on_bag, void* context) {
  try {
    // It is no Error, so everything on the way passes it on as it is.
    catalog.find(query, [&](const CatalogBag& bag) {
      if (!give(bag, on_bag, context)) throw Enough();
    });
  } catch (const Enough&) {
    return;
  }
}

CatalogSearch find_moments(Catalog& catalog, const CatalogQuery& query, kitbag_on_moment on_moment,
                           void* context) {
  if (query.query.where.empty()) throw Error(ErrorCode::invalid, "the query has no condition");
  ReadOptions read;
  read.on_problem = ignore;
  CatalogSearch search;
  bool is_wanted = true;
  std::stop_source stop;
  try {
    search = catalog.find_moments(
        query, read,
        [&](const CatalogBag& bag, const Moment& moment) {
          if (!is_wanted) return;
          kitbag_moment given{bag.number,          bag.paths.front().c_str(), moment.topic.c_str(),
                              to_ns(moment.start), to_ns(moment.end),         moment.messages,
                              moment.value.c_str()};
          is_wanted = on_moment(context, &given);
          if (!is_wanted) stop.request_stop();
        },
        stop.get_token());
  } catch (const Error& error) {
    if (is_wanted || error.code() != ErrorCode::cancelled) throw;
  }
  return search;
}

/// Only members that the caller's version has.
void give(const CatalogSearch& search, kitbag_search* into) {
  if (!into) return;
  auto given = versioned<kitbag_search>(into, KITBAG_SEARCH_INIT, "the kitbag_search");
  given.bags = search.bags;
  given.ruled_out = search.ruled_out;
  given.opened = search.opened;
  given.changed = search.changed;
  given.failed = search.failed.size();
  std::memcpy(static_cast<void*>(into), &given, std::min(given.struct_size, sizeof given));
}

}  // namespace

}  // namespace kitbag::c

using kitbag::Error;
using kitbag::ErrorCode;
using kitbag::c::call;
using kitbag::c::require;
using kitbag::c::session;
using kitbag::c::text_of;

kitbag_code kitbag_catalog_open(const char* address, bool may_create, kitbag_catalog** catalog,
                                kitbag_error** error) {
  return call(error, [&] {
    std::string at = &require(address, "address");
    require(catalog, "catalog");
    auto opened =
        may_create ? kitbag::Catalog::create(at, session()) : kitbag::Catalog(at, session());
    opened.set_definitions(kitbag::definition_paths({}, {}));
    *catalog = new kitbag_catalog{std::move(opened)};
  });
}

void kitbag_catalog_close(kitbag_catalog* catalog) {
  delete catalog;
}

kitbag_code kitbag_catalog_add(kitbag_catalog* catalog, const char* path, const kitbag_adding* how,
                               kitbag_change* change, kitbag_error** error) {
  return call(error, [&] {
    auto done =
        require(catalog, "catalog").catalog.add(&require(path, "path"), kitbag::c::options_of(how));
    if (change) *change = kitbag::c::change_of(done);
  });
}

kitbag_code kitbag_catalog_scan(kitbag_catalog* catalog, const char* folder,
                                const kitbag_adding* how, kitbag_on_scanned on_scanned,
                                void* context, kitbag_error** error) {
  return call(error, [&] {
    auto options = kitbag::c::options_of(how);
    std::stop_source stop;
    options.stop = stop.get_token();
    auto tell = [&](const std::string& path, const kitbag::CatalogChange* change,
                    const Error* problem) {
      if (!on_scanned) return;
      std::optional<kitbag_error> failure;
      if (problem) failure = kitbag::c::error_of(*problem);
      bool goes_on = on_scanned(context, path.c_str(),
                                change ? kitbag::c::change_of(*change) : KITBAG_UNCHANGED,
                                failure ? &*failure : nullptr);
      if (!goes_on) stop.request_stop();
    };
    try {
      require(catalog, "catalog").catalog.scan(&require(folder, "folder"), options, tell);
    } catch (const Error& problem) {
      if (problem.code() != ErrorCode::cancelled) throw;
    }
    if (stop.stop_requested()) throw Error(ErrorCode::cancelled, "the scan was ended");
  });
}

kitbag_code kitbag_catalog_remove(kitbag_catalog* catalog, const char* path, kitbag_error** error) {
  return call(error, [&] {
    if (!require(catalog, "catalog").catalog.remove(&require(path, "path"))) {
      throw Error(ErrorCode::not_found, "the catalog does not know this bag", path);
    }
  });
}

kitbag_code kitbag_catalog_find(kitbag_catalog* catalog, const kitbag_catalog_query* query,
                                kitbag_on_bag on_bag, void* context, kitbag_error** error) {
  return call(error, [&] {
    if (!on_bag) throw Error(ErrorCode::invalid, "on_bag is NULL");
    kitbag::c::find(require(catalog, "catalog").catalog, kitbag::c::query_of(query), on_bag,
                    context);
  });
}

kitbag_code kitbag_catalog_moments(kitbag_catalog* catalog, const kitbag_catalog_query* query,
                                   kitbag_on_moment on_moment, void* context, kitbag_search* search,
                                   kitbag_error** error) {
  return call(error, [&] {
    if (!on_moment) throw Error(ErrorCode::invalid, "on_moment is NULL");
    auto found = kitbag::c::find_moments(require(catalog, "catalog").catalog,
                                         kitbag::c::query_of(query), on_moment, context);
    kitbag::c::give(found, search);
  });
}

kitbag_code kitbag_catalog_set_tag(kitbag_catalog* catalog, const char* path, const char* name,
                                   const char* value, kitbag_error** error) {
  return call(error, [&] {
    require(catalog, "catalog")
        .catalog.set_tag(&require(path, "path"), &require(name, "name"), text_of(value));
  });
}

kitbag_code kitbag_catalog_set_note(kitbag_catalog* catalog, const char* path, const char* note,
                                    kitbag_error** error) {
  return call(error, [&] {
    require(catalog, "catalog").catalog.set_note(&require(path, "path"), text_of(note));
  });
}

kitbag_code kitbag_catalog_add_event(kitbag_catalog* catalog, const char* path, int64_t start,
                                     int64_t end, const char* name, kitbag_error** error) {
  return call(error, [&] {
    kitbag::CatalogEvent event{.start = kitbag::from_ns(start),
                               .end = kitbag::from_ns(end),
                               .name = &require(name, "name")};
    require(catalog, "catalog").catalog.add_event(&require(path, "path"), event);
  });
}

kitbag_code kitbag_catalog_remove_event(kitbag_catalog* catalog, int64_t number,
                                        kitbag_error** error) {
  return call(error, [&] {
    if (!require(catalog, "catalog").catalog.remove_event(number)) {
      throw Error(ErrorCode::not_found, "there is no event with this number");
    }
  });
}
