#include "server/server.h"

#include <fmt/format.h>

#include <utility>

#include "kitbag/error.h"
#include "kitbag/listen.h"
#include "kitbag/stream.h"
#include "server/api/url.h"

// Order of construction: the HTTP server listens first. If the port is taken, nothing has been
// recorded and no system subscribed to. Requests are accepted last, when everything exists.
// Destruction goes the other way round, beginning with the HTTP threads, which use all the rest.
//
// One subscription serves recording and viewers: the recorder's messages pass through a stage of
// the hub. Two subscriptions would double the load of a robot's network.

namespace kitbag::server {
namespace {

bool has_live_data(const ServerOptions& options) {
  return !options.live.empty() || options.bags.record || options.accepts_published;
}

/// Everybody who reaches this machine would write into the recording.
std::unique_ptr<PublishedMessages> published_messages(const ServerOptions& options, LiveHub& hub,
                                                      const ClockPtr& clock) {
  if (!options.accepts_published) return nullptr;
  if (options.token.empty()) {
    throw Error(ErrorCode::invalid, "accepting messages of clients requires a token");
  }
  return std::make_unique<PublishedMessages>(hub, clock);
}

std::vector<std::string> panel_folders(std::vector<std::string> folders) {
  std::string installed = installed_panels();
  if (!installed.empty()) folders.push_back(std::move(installed));
  return folders;
}

/// What is recorded is live, too: one subscription serves both. What clients publish is live
/// already, so it joins behind that.
std::optional<RecordOptions> shown_live(std::optional<RecordOptions> options, LiveHub& hub,
                                        PublishedMessages* published, const ClockPtr& clock) {
  if (!options) return options;
  auto with_stages = [stages = options->stages](std::unique_ptr<Source> source) {
    return stages ? stages(std::move(source)) : std::move(source);
  };
  options->stages = [&hub, published, clock, with_stages](std::unique_ptr<Source> source) {
    source = through(with_stages(std::move(source)), hub.stage());
    if (!published) return source;
    return join(std::move(source), with_stages(published->source()), clock);
  };
  return options;
}

}  // namespace

Server::Server(ServerOptions options, const Session& session)
    : options_(std::move(options)),
      hub_(session.clock()),
      published_(published_messages(options_, hub_, session.clock())),
      http_(std::make_unique<HttpServer>(options_.http)),
      api_(bag_options(session.clock()), live_data(), session, [this] { return http_->counts(); }),
      page_(installed_page()),
      panels_(panel_folders(options_.panels)),
      feeds_(std::make_unique<LiveFeeds>(options_.live, options_.bags.on_warning, hub_, session)) {
  // The gate knows the port, which the system may have chosen.
  gate_ = std::make_unique<const Gate>(
      GateOptions{options_.http.address, http_->port(), options_.bags.public_url,
                  options_.allowed_origins, options_.token},
      api_.signer());
  http_->start([this](const Request& request) {
    Response response;
    if (request.method != "OPTIONS" && page_.has(request)) {
      response = page_.handle(request);
    } else if (request.method != "OPTIONS" && PanelFolders::has(request)) {
      response = panels_.handle(request);
    } else if (gate_->lets_in(request, response)) {
      response = api_.handle(request);
    }
    gate_->add_headers(request, response);
    return response;
  });
}

BagApiOptions Server::bag_options(const ClockPtr& clock) {
  BagApiOptions bags = options_.bags;
  bags.token = options_.token;
  bags.record = shown_live(bags.record, hub_, published_.get(), clock);
  return bags;
}

LiveData Server::live_data() {
  return {has_live_data(options_) ? &hub_ : nullptr, published_.get()};
}

Server::~Server() {
  http_.reset();  // its threads use everything else
  feeds_.reset();
}

void Server::drain(Duration most) {
  announce_stop();
  http_->drain(std::chrono::duration_cast<std::chrono::milliseconds>(most));
}

void Server::end_recording() {
  api_.end_recording();
  feeds_.reset();
}

std::string Server::url() const {
  return fmt::format("{}://{}:{}", options_.http.tls_certificate.empty() ? "http" : "https",
                     host_text(options_.http.address), http_->port());
}

std::string Server::page_url() {
  std::string bag = api_.only_bag();
  return url() + (bag.empty() ? "/" : "/?bag=" + encode_segment(bag));
}

bool Server::is_open_to_others() const {
  const std::string& address = options_.http.address;
  return !address.starts_with("127.") && address != "::1";
}

}  // namespace kitbag::server
