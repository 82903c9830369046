#include "server/server.h"

#include <fmt/format.h>

#include <utility>

#include "kitbag/stream.h"
#include "server/api/url.h"

namespace kitbag::server {
namespace {

bool has_live_data(const ServerOptions& options) {
  return !options.live.empty() || options.bags.record;
}

/// What is recorded is live, too: one subscription serves both.
std::optional<RecordOptions> shown_live(std::optional<RecordOptions> options, LiveHub& hub) {
  if (!options) return options;
  options->stages = [&hub, stages = options->stages](std::unique_ptr<Source> source) {
    if (stages) source = stages(std::move(source));
    return through(std::move(source), hub.stage());
  };
  return options;
}

BagApiOptions bag_options(const ServerOptions& options, LiveHub& hub) {
  BagApiOptions bags = options.bags;
  bags.token = options.token;
  bags.record = shown_live(bags.record, hub);
  return bags;
}

}  // namespace

Server::Server(ServerOptions options, const Session& session)
    : options_(std::move(options)),
      hub_(session.clock()),
      http_(std::make_unique<HttpServer>(options_.http)),
      api_(bag_options(options_, hub_), has_live_data(options_) ? &hub_ : nullptr, session,
           [this] { return http_->counts(); }),
      feeds_(std::make_unique<LiveFeeds>(options_.live, options_.bags.on_warning, hub_, session)) {
  // The gate knows the port, which the system may have chosen.
  gate_ = std::make_unique<const Gate>(
      GateOptions{options_.http.address, http_->port(), options_.bags.public_url,
                  options_.allowed_origins, options_.token},
      api_.signer());
  http_->start([this](const Request& request) {
    Response response;
    if (gate_->lets_in(request, response)) response = api_.handle(request);
    gate_->add_headers(request, response);
    return response;
  });
}

Server::~Server() {
  http_.reset();  // its threads use everything else
  feeds_.reset();
}

std::string Server::url() const {
  return fmt::format("{}://{}:{}", options_.http.tls_certificate.empty() ? "http" : "https",
                     host_text(options_.http.address), http_->port());
}

bool Server::is_open_to_others() const {
  const std::string& address = options_.http.address;
  return !address.starts_with("127.") && address != "::1";
}

}  // namespace kitbag::server
