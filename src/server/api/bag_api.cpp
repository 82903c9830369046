#include "server/api/bag_api.h"

#include <string_view>
#include <utility>

#include "kitbag/error.h"
#include "server/http/encoding.h"
#include "server/live/live.h"

// All routes of the API, and what is the same for every answer. A route throws for what it cannot
// do, and only here this becomes a status:
//
//   Refusal                      its own status
//   Error io, cancelled          500   neither the request nor the bag is wrong
//   Error limit                  413   the request asks for too much
//   any other Error              400   the request is wrong, or nothing of the bag can be read
//
// Requests may run on any thread of the server, several at once: what routes share is in Served.

namespace kitbag::server {
namespace {

/// What is true of all answers.
void add_common_headers(Response& response) {
  response.set("Referrer-Policy", "no-referrer")
      .set("X-Content-Type-Options", "nosniff")
      .set("Vary", "Accept-Encoding, Origin");
}

int status_of(ErrorCode code) {
  if (code == ErrorCode::io || code == ErrorCode::cancelled) return 500;
  if (code == ErrorCode::limit) return 413;
  return 400;
}

}  // namespace

const std::set<std::string>& documented_latched_topics() {
  static const std::set<std::string> topics = {
      "/map/info",       "/alerts",
      "/map_image",      "/sensor_manager_state",
      "/robot_model",    "/nearby_robot_footprints",
      "/path",           "/local_path",
      "/planning_state", "/detected_features/racks_v2",
      "/jack_state",     "/detected_features/pallets",
      "/towing_state",   "/detected_features/chargers",
  };
  return topics;
}

BagApi::BagApi(BagApiOptions options, const LiveData& live, const Session& session,
               std::function<HttpCounts()> http)
    : served_(std::move(options), session),
      routes_([this](std::string_view name) { return find_bag(served_, name); }) {
  add_health(routes_, served_);
  add_list(routes_, served_);
  add_download(routes_, served_);
  add_player(routes_, served_);
  add_view(routes_, served_);
  add_info(routes_, served_);
  add_recorder(routes_, served_);
  add_metrics(routes_, served_, std::move(http));
  add_live(routes_, served_, live);
  add_timeline(routes_, served_);
  add_series(routes_, served_);
  add_thumbnail(routes_, served_);
  add_sql(routes_, served_);
  add_search(routes_, served_);
  add_events(routes_, served_);
  add_openapi(routes_, served_);
}

Response BagApi::handle(const Request& request) {
  Response response;
  try {
    response = routes_.handle(with_plain_tags(request));
  } catch (const Refusal& refusal) {
    response = error_response(refusal.status(), refusal.what());
  } catch (const Error& error) {
    // A request that is wrong, or a bag of which nothing can be read.
    response = error_response(status_of(error.code()), error.message());
  }
  if (response.status == 503) response.set("Retry-After", "1");
  encode(request, response);
  add_common_headers(response);
  return response;
}

void BagApi::end_recording() {
  if (served_.recorder) served_.recorder->stop({});
}

std::string BagApi::only_bag() {
  BagSnapshotPtr snapshot = served_.bags.now();
  return snapshot->bags.size() == 1 ? snapshot->bags.front()->name : "";
}

}  // namespace kitbag::server
