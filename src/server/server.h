#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kitbag/session.h"
#include "server/api/bag_api.h"
#include "server/api/gate.h"
#include "server/http/server.h"
#include "server/live/live.h"
#include "server/page/page.h"
#include "server/page/panels.h"

// The server of bags: HTTP, the player page, and the Bag API behind a gate.

namespace kitbag::server {

struct ServerOptions {
  HttpOptions http = {};
  BagApiOptions bags = {};
  std::vector<std::string> live = {};  ///< URIs of live systems for /live
  /// True: clients of /live may publish messages, which other clients get and which are recorded.
  bool accepts_published = false;
  std::vector<std::string> allowed_origins = {};
  std::string token = {};
  /// Folders with panels for the page, besides those that are installed.
  std::vector<std::string> panels = {};
};

/// Serves from its own threads until it is destroyed.
class Server {
 public:
  /// Throws Error as HttpServer, BagList, PanelFolders and LiveFeeds do, and Error (invalid) if
  /// clients may publish and there is no token.
  Server(ServerOptions options, const Session& session);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  /// From now on, /healthz says that the server is about to end; all else is as before.
  void announce_stop() { api_.stop(); }
  /// Completes what clients have asked for, for at most so long, and takes nothing new. Once only.
  void drain(Duration most);
  /// Completes what is being recorded, and leaves live systems. What is left are requests, which
  /// change nothing: when this has returned, the process may be left. Throws Error (io) if the
  /// recorder does not end.
  void end_recording();

  /// "http://127.0.0.1:8090"
  std::string url() const;
  /// The URL of the player page; with the bag if there is only one. Waits until it is listed.
  std::string page_url();
  /// Whether others than this machine reach it.
  bool is_open_to_others() const;

 private:
  BagApiOptions bag_options(const ClockPtr& clock);
  LiveData live_data();

  ServerOptions options_;
  LiveHub hub_;
  std::unique_ptr<PublishedMessages> published_;  ///< null: clients may not publish
  std::unique_ptr<HttpServer> http_;  ///< before api_: if it cannot listen, nothing is recorded
  BagApi api_;
  Page page_;
  PanelFolders panels_;
  std::unique_ptr<LiveFeeds> feeds_;
  std::unique_ptr<const Gate> gate_;
};

}  // namespace kitbag::server
