#include "server/live/live.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <utility>

#include "kitbag/error.h"
#include "kitbag/foxglove.h"
#include "kitbag/pipeline.h"
#include "server/bags/seconds.h"
#include "server/http/web_socket.h"
#include "server/live/replay.h"

// Feeds of the server drop the oldest messages when full, also of systems that would wait: a viewer
// must not hold a robot back.
//
// A session is counted while it exists, not while it is connected: after its connection has gone, a
// replay may still have a thread and a bag open for a moment.

namespace kitbag::server {
namespace {

/// Replays have threads of their own, and for each client some megabytes may wait.
constexpr std::size_t kMostReplays = 64;
constexpr std::size_t kMostLiveClients = 64;

const std::vector<std::string_view>& subprotocols() {
  static const std::vector<std::string_view> known = {foxglove::kSdkProtocol,
                                                      foxglove::kWebSocketProtocol};
  return known;
}

/// A session that is counted while it exists.
class Counted final : public WebSocketSession {
 public:
  Counted(std::unique_ptr<WebSocketSession> session,
          std::shared_ptr<std::atomic<std::size_t>> count)
      : session_(std::move(session)), count_(std::move(count)) {
    ++*count_;
  }
  ~Counted() override { --*count_; }

  void on_open(WebSocketSenderPtr sender) override { session_->on_open(std::move(sender)); }
  void on_text(std::string_view text) override { session_->on_text(text); }
  void on_binary(ByteView bytes) override { session_->on_binary(bytes); }
  void on_close() override { session_->on_close(); }

 private:
  std::unique_ptr<WebSocketSession> session_;
  std::shared_ptr<std::atomic<std::size_t>> count_;
};

double rate_of(const Request& request) {
  const std::string* text = request.parameter("rate");
  if (!text) return 1;
  double rate = 0;
  auto parsed = std::from_chars(text->data(), text->data() + text->size(), rate);
  if (parsed.ec != std::errc() || parsed.ptr != text->data() + text->size()) {
    throw Error(ErrorCode::invalid, "invalid rate; expected a number");
  }
  return rate;
}

bool is_paused(const Request& request) {
  const std::string* text = request.parameter("paused");
  if (text && *text != "0" && *text != "1") {
    throw Error(ErrorCode::invalid, "invalid paused; expected 0 or 1");
  }
  return text && *text == "1";
}

std::optional<Time> start_of(const Request& request) {
  const std::string* text = request.parameter("start_time");
  if (!text) return std::nullopt;
  auto time = parse_seconds(*text);
  if (!time) throw Error(ErrorCode::invalid, "invalid start_time; expected seconds since 1970");
  return time;
}

Response replay_of(Served& served, const Call& call,
                   const std::shared_ptr<std::atomic<std::size_t>>& count) {
  if (!call.bag->error.empty()) {
    return error_response(400, "nothing of the bag can be read: " + call.bag->error);
  }
  // Requests that come together may all pass. The limit is to bound threads, not to be exact.
  if (*count >= kMostReplays) return error_response(503, "too many replays are running");
  ReplayOptions options;
  options.rate = rate_of(call.request);
  options.starts_paused = is_paused(call.request);
  options.start = start_of(call.request);
  options.latched_topics = served.options.latched_topics;
  return upgrade(call.request, subprotocols(), [&](std::string_view subprotocol) {
    options.has_control = subprotocol == foxglove::kSdkProtocol;
    return std::make_unique<Counted>(replay(served.open.open(call.bag), options, served.session),
                                     count);
  });
}

}  // namespace

LiveFeeds::LiveFeeds(const std::vector<std::string>& uris, const OnWarning& on_warning,
                     LiveHub& hub, const Session& session) {
  // All listen before a thread begins: an address that is wrong ends the start of the server.
  std::vector<std::unique_ptr<LiveSource>> sources;
  for (const std::string& uri : uris) {
    Subscription wanted;
    wanted.on_warning = on_warning;
    sources.push_back(session.listen(uri, wanted, {.on_full = OnFull::drop_oldest}));
  }
  for (auto& each : sources) {
    threads_.emplace_back([source = std::move(each), sink = hub.input(), on_warning,
                           clock = session.clock()](const std::stop_token& stop) {
      try {
        run(*source, *sink, *clock, stop);
        sink->close();
      } catch (const Error& error) {
        sink->close();
        if (on_warning) on_warning(error);
      } catch (const std::exception& error) {
        sink->close();
        if (on_warning) on_warning(Error(ErrorCode::io, error.what()));
      }
    });
  }
}

LiveFeeds::~LiveFeeds() {
  for (std::jthread& each : threads_) each.request_stop();  // all at once, before one is waited for
}

void add_live(Routes& routes, Served& served, const LiveData& live) {
  auto count = std::make_shared<std::atomic<std::size_t>>(0);
  routes.add(
      {.method = "GET",
       .path = "/bags/{bag}/live",
       .summary = "A WebSocket (foxglove.sdk.v1 or foxglove.websocket.v1) on which the bag "
                  "is replayed",
       .media_type = "",
       .parameters = {{"paused", "integer", "1: begin paused"},
                      {"rate", "number", "seconds of the bag per second"},
                      {"start_time", "number", "where to begin, in seconds since 1970"}},
       .answer = [&served, count](const Call& call) { return replay_of(served, call, count); }});
  if (!live.hub) return;
  routes.add(
      {.method = "GET",
       .path = "/live",
       .summary = "A WebSocket (foxglove.sdk.v1 or foxglove.websocket.v1) with the messages "
                  "of the live systems",
       .media_type = "",
       .answer = [live, count = std::make_shared<std::atomic<std::size_t>>(0)](const Call& call) {
         if (*count >= kMostLiveClients) {
           return error_response(503, "too many clients of live data");
         }
         return upgrade(call.request, subprotocols(), [&](std::string_view) {
           return std::make_unique<Counted>(live.hub->client(live.published), count);
         });
       }});
}

}  // namespace kitbag::server
