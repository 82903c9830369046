#include "server/server.h"

#include <fmt/format.h>

#include "server/api/url.h"

namespace kitbag::server {
namespace {

BagApiOptions with_token(BagApiOptions options, const std::string& token) {
  options.token = token;
  return options;
}

}  // namespace

Server::Server(ServerOptions options, const Session& session)
    : options_(std::move(options)),
      hub_(session.clock()),
      api_(with_token(options_.bags, options_.token), options_.live.empty() ? nullptr : &hub_,
           session, [this] { return http_->counts(); }),
      feeds_(std::make_unique<LiveFeeds>(options_.live, options_.bags.on_warning, hub_, session)),
      http_(std::make_unique<HttpServer>(options_.http)) {
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
