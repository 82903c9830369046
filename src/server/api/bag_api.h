#pragma once

#include <functional>
#include <set>
#include <string>

#include "kitbag/session.h"
#include "server/api/routes.h"
#include "server/api/served.h"
#include "server/http/message.h"
#include "server/http/server.h"

// The Bag API: a list of bags, downloads, and the messages of time slices. docs/serving.md
// describes it. Each kind of answer has a file of its own, and a line here.

namespace kitbag::server {

struct LiveData;

/// The topics that the document of the Bag API calls latched.
const std::set<std::string>& documented_latched_topics();

void add_list(Routes& routes, Served& served);
/// The list of a server that has a catalog.
void add_catalog_list(Routes& routes, Served& served);
void add_health(Routes& routes, Served& served);
void add_download(Routes& routes, Served& served);
void add_info(Routes& routes, Served& served);
void add_player(Routes& routes, Served& served);
void add_view(Routes& routes, Served& served);
/// Does nothing where nothing is recorded.
void add_recorder(Routes& routes, Served& served);
void add_metrics(Routes& routes, Served& served, std::function<HttpCounts()> http);
void add_timeline(Routes& routes, Served& served);
void add_series(Routes& routes, Served& served);
void add_thumbnail(Routes& routes, Served& served);
void add_sql(Routes& routes, Served& served);
void add_search(Routes& routes, Served& served);
void add_events(Routes& routes, Served& served);
void add_openapi(Routes& routes, Served& served);

/// Any thread.
class BagApi {
 public:
  /// `live`, which must outlive this, is what /live serves. `http` gives the counts of the server.
  /// Throws Error as Served does.
  BagApi(BagApiOptions options, const LiveData& live, const Session& session,
         std::function<HttpCounts()> http);
  BagApi(const BagApi&) = delete;
  BagApi& operator=(const BagApi&) = delete;

  /// Answers a request for the API. What is wrong with it becomes an answer, never an exception.
  Response handle(const Request& request);

  /// The name of the bag if there is only one, else "".
  std::string only_bag();

  /// From now on, /healthz says that the server is about to end.
  void stop() { served_.is_stopping = true; }

  /// Completes what is being recorded. Throws Error as RecorderService::stop() does.
  void end_recording();

  /// Signs links to bags; valid as long as this object.
  const LinkSigner& signer() const { return served_.signer; }

 private:
  Served served_;
  Routes routes_;
};

}  // namespace kitbag::server
