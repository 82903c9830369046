#include <exception>
#include <string>
#include <utility>

#include "server/api/bag_api.h"
#include "server/api/parameters.h"

// What a proxy or an orchestrator asks: whether this server should get requests (ready), and
// whether it works at all (live). A server that is about to end, or has lost its catalog, is live
// and not ready. Everybody may ask, so the answer says little.

namespace kitbag::server {
namespace {

std::string trouble(Served& served) {
  if (served.is_stopping) return "the server is about to end";
  if (!served.catalog) return {};
  try {
    served.catalog->pool().read([](Catalog& catalog) { catalog.ping(); });
  } catch (const std::exception&) {
    return "the catalog cannot be reached";
  }
  return {};
}

Response health(Served& served, const Request& request) {
  bool asks_ready = choice_of(request, "check", {"ready", "live"}) == "ready";
  std::string what = asks_ready ? trouble(served) : "";
  Response response =
      text_response(what.empty() ? 200 : 503, "text/plain", what.empty() ? "ok\n" : what + "\n");
  return std::move(response.set("Cache-Control", "no-store"));
}

}  // namespace

void add_health(Routes& routes, Served& served) {
  routes.add({.method = "GET",
              .path = "/healthz",
              .summary = "Whether the server should get requests: 200 or 503",
              .media_type = "text/plain",
              .parameters = {{"check", "string",
                              "ready (default), or live: whether the process works at all"}},
              .takes_any_parameter = true,
              .answer = [&served](const Call& call) { return health(served, call.request); }});
}

}  // namespace kitbag::server
