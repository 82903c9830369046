#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kitbag/catalog.h"
#include "kitbag/error.h"
#include "kitbag/escape.h"
#include "server/api/bag_api.h"
#include "server/api/list_item.h"
#include "server/api/parameters.h"
#include "server/api/url.h"
#include "server/http/ranges.h"
#include "server/views/file_cache.h"

// A catalog has too many bags for one answer, so the list comes in pages. The catalog alone
// answers, and no bag is opened. A page ends with a cursor, which the address of the next one
// holds: it says behind which bag to go on, so that nothing is left out or comes twice when bags
// are added meanwhile.

namespace kitbag::server {
namespace {

constexpr std::uint64_t kDefaultPageBags = 100;
constexpr std::uint64_t kMostPageBags = 1000;
/// Of the messages over time, in a list.
constexpr std::size_t kMostParts = 60;
constexpr const char* kCountHeader = "Kitbag-Count";

std::map<std::string, std::string> tags_of(const Request& request) {
  std::map<std::string, std::string> tags;
  for (const auto& [name, value] : request.query) {
    if (name != "tag") continue;
    std::size_t equals = value.find('=');
    if (equals == 0 || equals == std::string::npos || equals + 1 == value.size()) {
      throw Error(ErrorCode::invalid, "tag=" + escaped(value) + " is not NAME=VALUE");
    }
    tags[value.substr(0, equals)] = value.substr(equals + 1);
  }
  return tags;
}

CatalogQuery query_of(const Request& request) {
  CatalogQuery query;
  query.query.select.topics = words_of(request, "topics");
  query.query.select.types = words_of(request, "types");
  if (const std::string* text = request.parameter("start_time")) {
    query.query.begin = time_of("start_time", *text);
  }
  if (const std::string* text = request.parameter("end_time")) {
    query.query.end = time_of("end_time", *text);
  }
  if (query.query.end < query.query.begin) {
    throw Error(ErrorCode::invalid, "end_time is before start_time");
  }
  if (const std::string* text = request.parameter("longer_than")) {
    query.query.longer_than = time_of("longer_than", *text).time_since_epoch();
  }
  query.tags = tags_of(request);
  for (const auto& [name, value] : request.query) {
    if (name == "text" && !value.empty()) query.words.push_back(value);
  }
  query.is_newest_first = choice_of(request, "order", {"newest", "oldest"}) == "newest";
  if (const std::string* after = request.parameter("after")) query.after = *after;
  return query;
}

/// Messages of all topics in each part of the bag, in a few parts.
std::vector<std::uint64_t> density_of(const CatalogBag& bag) {
  std::vector<std::uint64_t> all;
  for (const CatalogTopic& topic : bag.topics) {
    all.resize(std::max(all.size(), topic.density.size()));
    for (std::size_t i = 0; i < topic.density.size(); ++i) all[i] += topic.density[i];
  }
  std::size_t together = (all.size() + kMostParts - 1) / kMostParts;
  std::vector<std::uint64_t> parts;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i % together == 0) parts.push_back(0);
    parts.back() += all[i];
  }
  return parts;
}

std::string topics_text(const std::vector<CatalogTopic>& topics) {
  std::string text = "[";
  for (const CatalogTopic& each : topics) {
    text += fmt::format("{}\n      {{\"topic\": {}, \"type\": {}, \"messages\": {}}}",
                        text.size() == 1 ? "" : ",", json_quoted(each.topic),
                        json_quoted(each.type), each.messages);
  }
  return text + "\n    ]";
}

std::string item_of(const Served& served, const CatalogBag& bag, const std::string& base_url) {
  BagEntry entry;
  entry.name = catalog_name(bag);
  entry.number = bag.number;
  entry.size_bytes = bag.size_bytes;
  entry.start = bag.start;
  entry.end = bag.messages > 0 ? bag.end : bag.added;
  entry.messages = bag.messages;
  std::vector<std::string> names;
  for (const CatalogTopic& topic : bag.topics) names.push_back(topic.topic);
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  entry.topics = names.size();
  if (!bag.damage.empty()) entry.damage.add(bag.damage);
  std::string more = ",\n    \"title\": " + json_quoted(catalog_title(bag));
  if (!bag.tags.empty()) {
    std::string tags;
    for (const auto& [name, value] : bag.tags) {
      tags += (tags.empty() ? "" : ", ") + json_quoted(name) + ": " + json_quoted(value);
    }
    more += ",\n    \"tags\": {" + tags + "}";
  }
  if (!bag.note.empty()) more += ",\n    \"note\": " + json_quoted(bag.note);
  auto density = density_of(bag);
  if (!bag.topics.empty()) more += ",\n    \"topic_list\": " + topics_text(bag.topics);
  if (!density.empty()) more += fmt::format(",\n    \"density\": [{}]", fmt::join(density, ", "));
  return list_item(served, entry, base_url, more);
}

/// The address of the page behind this one.
std::string next_url(const Request& request, const std::string& base_url,
                     const std::string& cursor) {
  std::string query;
  for (const auto& [name, value] : request.query) {
    // The client has the count by now, and the token is a secret that links should not spread.
    if (name == "after" || name == "count" || name == "token") continue;
    query += encode_segment(name) + "=" + encode_segment(value) + "&";
  }
  return fmt::format("{}/bags/?{}after={}", base_url, query, encode_segment(cursor));
}

Response list(Served& served, const Request& request) {
  CatalogQuery query = query_of(request);
  std::uint64_t limit = number_of(request, "limit", kDefaultPageBags, 1, kMostPageBags);
  bool is_counted = number_of(request, "count", 0, 0, 1) == 1;
  query.most = limit + 1;  // the last of them tells that there is more
  std::vector<CatalogBag> bags;
  std::uint64_t count = 0;
  served.catalog->pool().read([&](Catalog& catalog) {
    // This may run twice: the pool repeats what a lost connection has broken off
    // (catalog_pool.cpp).
    bags.clear();
    catalog.find(query, [&](const CatalogBag& bag) { bags.push_back(bag); });
    if (is_counted) count = catalog.count(query);
  });
  std::string base = base_url(served, request);
  std::string next;
  if (bags.size() > limit) {
    bags.pop_back();
    next = "<" + next_url(request, base, cursor_of(bags.back())) + ">; rel=\"next\"";
  }
  std::string text = "[";
  for (const CatalogBag& bag : bags) {
    text += (text.size() == 1 ? "\n" : ",\n") + item_of(served, bag, base);
  }
  text += "\n]\n";
  // From the text itself: a catalog has no number that changes with it, as a snapshot of bags has.
  std::string etag = "\"list-" + cache_key({text, next, std::to_string(count)}) + "\"";
  Content content;
  content.add(std::move(text));
  Response response = answer(request, content, {etag}, {{"Content-Type", "application/json"}});
  if (!next.empty()) response.set("Link", next);
  if (is_counted) response.set(kCountHeader, std::to_string(count));
  return std::move(response.set("Cache-Control", cache_control(served, true)));
}

}  // namespace

void add_catalog_list(Routes& routes, Served& served) {
  routes.add(
      {.method = "GET",
       .path = "/bags/",
       .summary = "Bags of the catalog, a page at a time; the header Link has the address of the "
                  "next page",
       .media_type = "application/json",
       .parameters = {{"text", "string",
                       "a part of the path, the note, a tag or an event; given several times: all "
                       "of them",
                       kList},
                      {"topics", "string", "all these topics: names and globs, with commas", kList},
                      {"types", "string", "topics of all these types: names and globs", kList},
                      {"tag", "string", "NAME=VALUE; given several times: all of them", kList},
                      {"start_time", "number", "messages from here on, in seconds since 1970"},
                      {"end_time", "number", "messages before this"},
                      {"longer_than", "number", "longer than this, in seconds"},
                      {"order", "string", "newest (default) or oldest, by the start of the bag"},
                      {"limit", "integer", "at most this many, up to 1000; default 100"},
                      {"after", "string", "where the page before ends: see the header Link"},
                      {"count", "integer", "1: the header Kitbag-Count says how many there are"}},
       .answer = [&served](const Call& call) { return list(served, call.request); }});
}

}  // namespace kitbag::server
