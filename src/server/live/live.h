#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "kitbag/live.h"
#include "kitbag/session.h"
#include "server/api/routes.h"
#include "server/api/served.h"
#include "server/live/hub.h"
#include "server/live/published.h"

namespace kitbag::server {

/// The messages of live systems, for the clients of a hub.
class LiveFeeds {
 public:
  /// Listens to the systems at these URIs. `on_warning` is called with their problems; a system
  /// that fails is not listened to again. Throws Error as Session::listen() does.
  LiveFeeds(const std::vector<std::string>& uris, const OnWarning& on_warning, LiveHub& hub,
            const Session& session);
  ~LiveFeeds();
  LiveFeeds(const LiveFeeds&) = delete;
  LiveFeeds& operator=(const LiveFeeds&) = delete;

 private:
  std::vector<std::jthread> threads_;
};

/// What /live serves and accepts.
struct LiveData {
  LiveHub* hub = nullptr;                  ///< null: there is no such path
  PublishedMessages* published = nullptr;  ///< null: clients may not publish
};

/// Adds /bags/{bag}/live, and /live if there is a hub.
void add_live(Routes& routes, Served& served, const LiveData& live);

}  // namespace kitbag::server
