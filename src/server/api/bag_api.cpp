#include "server/api/bag_api.h"

#include <fmt/format.h>

#include "kitbag/error.h"

namespace kitbag::server {
namespace {

constexpr std::size_t kOpenBags = 64;

bool is_read_method(const std::string& method) {
  return method == "GET" || method == "HEAD";
}

Response redirect(const std::string& to) {
  Response response;
  response.status = 301;
  response.set("Location", to).set("Cache-Control", "no-store");
  return response;
}

/// What is true of all answers.
void add_common_headers(Response& response) {
  response.set("Referrer-Policy", "no-referrer")
      .set("X-Content-Type-Options", "nosniff")
      .set("Vary", "Accept-Encoding, Origin");
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

BagApi::BagApi(BagApiOptions options, const Session& session)
    : options_(std::move(options)),
      session_(session),
      bags_(options_.places, session, options_.on_warning),
      open_(kOpenBags, session) {}

Response BagApi::handle(const Request& request) {
  Response response;
  try {
    response = dispatch(request);
  } catch (const Error& error) {
    // What a client asks for wrongly, and bags of which nothing can be read.
    bool is_of_system = error.code() == ErrorCode::io || error.code() == ErrorCode::cancelled;
    response = error_response(is_of_system ? 500 : 400, error.message());
  }
  add_common_headers(response);
  return response;
}

Response BagApi::dispatch(const Request& request) {
  const auto& path = request.path;
  if (path.front() == "healthz" && path.size() == 1) {
    Response response = text_response(200, "text/plain", "ok\n");
    return std::move(response.set("Cache-Control", "no-store"));
  }
  if (path.front() != "bags") return error_response(404, "there is nothing at this path");
  if (!is_read_method(request.method)) {
    Response response = error_response(405, "only GET and HEAD are possible here");
    return std::move(response.set("Allow", "GET, HEAD"));
  }
  if (path.size() == 1) return redirect(base_url(request) + "/bags/");
  if (path.size() == 2 && path[1].empty()) return list(request);
  if (path.size() < 3) return error_response(404, "there is nothing at this path");
  bool is_download = path[2] == "download" && (path.size() == 3 || path.size() == 4);
  bool is_player = path[2] == "player" && path.size() == 3;
  if (!is_download && !is_player) return error_response(404, "there is nothing at this path");
  BagEntryPtr bag = bags_.find(path[1]);
  if (!bag) return error_response(is_download ? 404 : 400, "there is no bag \"" + path[1] + "\"");
  if (is_player) return player(request, bag);
  if (is_download && (path.size() == 3 || path[3] == bag->name)) return download(request, bag);
  return error_response(404, "there is nothing at this path");
}

std::string BagApi::base_url(const Request& request) const {
  if (!options_.public_url.empty()) return options_.public_url;
  const std::string* host = request.header("host");
  return fmt::format("{}://{}", request.is_tls ? "https" : "http", host ? *host : "localhost");
}

std::string BagApi::cache_control(const BagEntry& bag) const {
  if (bag.is_recording) return options_.is_private ? "private, no-cache" : "no-cache";
  return options_.is_private ? "private, max-age=2592000" : "public, max-age=2592000";
}

}  // namespace kitbag::server
