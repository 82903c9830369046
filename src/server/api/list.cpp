#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "server/api/bag_api.h"
#include "server/api/list_item.h"
#include "server/http/encoding.h"
#include "server/http/ranges.h"

// Clients ask for the list again and again, and it is the same until a bag comes, goes or changes.
// So the text and its encoded forms are kept until the snapshot has another number. The list also
// depends on the host by which the client knows this server, as it has whole URLs, and on the day,
// as signed links expire.

namespace kitbag::server {
namespace {

std::string list_text(const Served& served, const BagSnapshot& snapshot,
                      const std::string& base_url) {
  std::string text = "[";
  for (const BagEntryPtr& bag : snapshot.bags) {
    text += (text.size() == 1 ? "\n" : ",\n") + list_item(served, *bag, base_url);
  }
  return text + "\n]\n";
}

/// The list is made and encoded once for each state of the bags, not once for each request.
class ListAnswer {
 public:
  explicit ListAnswer(Served& served) : served_(served) {}

  Response operator()(const Request& request) {
    Made made = current(base_url(served_, request));
    Content content;
    content.add(made.text->plain());
    Response response =
        answer(request, content, {made.etag}, {{"Content-Type", "application/json"}});
    encode(request, response, *made.text);
    response.set("Cache-Control", cache_control(served_, true));
    return response;
  }

 private:
  /// A list that was made, for its state, host and day.
  struct Made {
    std::uint64_t number = 0;
    std::string base_url;
    std::int64_t links_expire = 0;
    std::shared_ptr<EncodedText> text;
    std::string etag;
  };

  Made current(const std::string& base_url) {
    BagSnapshotPtr snapshot = served_.bags.now();
    Made made;
    {
      std::lock_guard lock(mutex_);
      made = made_;
    }
    std::int64_t links_expire = served_.signer.expires();
    bool is_current = made.number == snapshot->number && made.base_url == base_url &&
                      made.links_expire == links_expire;
    if (is_current) return made;
    // Without the lock: two requests may both make the list, but none waits for a slow one.
    std::string text = list_text(served_, *snapshot, base_url);
    std::string etag = "\"list-" + cache_key({text}) + "\"";
    made = {snapshot->number, base_url, links_expire,
            std::make_shared<EncodedText>(std::move(text)), etag};
    std::lock_guard lock(mutex_);
    made_ = made;
    return made;
  }

  Served& served_;
  std::mutex mutex_;
  Made made_;  ///< the last one; guarded by mutex_
};

Response redirect(const std::string& to) {
  Response response;
  response.status = 301;
  response.set("Location", to).set("Cache-Control", "no-store");
  return response;
}

}  // namespace

void add_list(Routes& routes, Served& served) {
  routes.add({.method = "GET",
              .path = "/bags",
              .summary = "Redirects to /bags/",
              .media_type = "",
              .takes_any_parameter = true,
              .answer = [&served](const Call& call) {
                return redirect(base_url(served, call.request) + "/bags/");
              }});
  if (served.catalog) return add_catalog_list(routes, served);
  auto list = std::make_shared<ListAnswer>(served);
  routes.add({.method = "GET",
              .path = "/bags/",
              .summary = "All bags, the oldest first",
              .media_type = "application/json",
              .takes_any_parameter = true,
              .answer = [list](const Call& call) { return (*list)(call.request); }});
}

}  // namespace kitbag::server
