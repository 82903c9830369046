#include <sqlite3.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kitbag/error.h"
#include "server/api/bag_api.h"
#include "server/api/parameters.h"
#include "server/slices/places.h"
#include "server/slices/query_stream.h"

// SQL over what the messages of a bag say. A query only reads, so whoever may read the bag may ask;
// but it can keep a processor busy and take memory, so it has to be allowed.

namespace kitbag::server {
namespace {

/// A query that has not answered yet keeps a thread of the server busy, too.
constexpr std::size_t kMostQueries = 4;
/// What all queries together may take, for sorting and temporary tables. Beyond that, they fail.
constexpr sqlite3_int64 kMostHeapBytes = 1 << 30;

sql::AnswerFormat format_of(const std::string& name) {
  if (name == "csv") return sql::AnswerFormat::csv;
  if (name == "arrow") return sql::AnswerFormat::arrow;
  return name == "ndjson" ? sql::AnswerFormat::json_lines : sql::AnswerFormat::json;
}

std::string media_type_of(sql::AnswerFormat format) {
  switch (format) {
    case sql::AnswerFormat::csv:
      return "text/csv; charset=utf-8";
    case sql::AnswerFormat::json_lines:
      return "application/x-ndjson";
    case sql::AnswerFormat::arrow:
      return kArrowMediaType;
    case sql::AnswerFormat::json:
      break;
  }
  return "application/json";
}

Response answer_query(Served& served, const Call& call, Places& running) {
  if (!served.options.allows_sql) {
    throw Refusal(403, "this server answers no queries; kitbag serve --allow-sql allows them");
  }
  const std::string* query = call.request.parameter("q");
  if (!query) throw Error(ErrorCode::invalid, "q is missing; it is an SQL query");
  sql::AnswerFormat format =
      format_of(choice_of(call.request, "format", {"json", "ndjson", "csv", "arrow"}));
  OpenBagPtr open = open_readable(served, call.bag);
  auto place = running.take();
  const WorkLimits& limits = served.options.limits;
  auto stream = std::make_unique<QueryStream>(
      open, *query, format, QueryLimits{limits.work, limits.slice_bytes}, served.session);
  stream->begin(call.request.stop);
  Response response;
  response.set("Content-Type", media_type_of(format));
  // What a query says may depend on the time of day.
  response.set("Cache-Control", "no-store");
  std::vector<std::string> damage = call.bag->damage.sentences();
  if (!damage.empty()) response.set(kDamageHeader, json_list(damage));
  response.set("Trailer", kDamageHeader);
  response.stream = std::make_unique<PlacedStream>(std::move(place), std::move(stream));
  return response;
}

}  // namespace

void add_sql(Routes& routes, Served& served) {
  // Of the whole process, since SQLite has no such limit for a connection.
  if (served.options.allows_sql) sqlite3_hard_heap_limit64(kMostHeapBytes);
  auto running =
      std::make_shared<Places>(kMostQueries, "too many queries are running; try again later");
  routes.add({.method = "GET",
              .path = "/bags/{bag}/sql",
              .summary = "The answer to an SQL query about what the messages say, where queries "
                         "are allowed",
              .media_type = "application/json",
              .parameters = {{"q", "string", "the query, in the dialect of SQLite"},
                             {"format", "string", "json, ndjson, csv or arrow; default json"}},
              .answer = [&served, running](const Call& call) {
                return answer_query(served, call, *running);
              }});
}

}  // namespace kitbag::server
