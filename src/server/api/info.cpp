#include <functional>
#include <string>
#include <utility>

#include "kitbag/bag_info.h"
#include "server/api/bag_api.h"

// What a bag says about itself. The library makes the texts, so that they are those of the program.

namespace kitbag::server {
namespace {

/// A path that answers with a text in JSON about the bag.
Route about(Served& served, std::string path, std::string summary,
            std::function<std::string(const BagInfo& info)> make) {
  return {.method = "GET",
          .path = std::move(path),
          .summary = std::move(summary),
          .media_type = "application/json",
          .answer = [&served, make = std::move(make)](const Call& call) {
            OpenBagPtr open = open_readable(served, call.bag);
            return json_about(served, call, [&] {
              // Clients know the bag by its name; where it is, is the server's own business.
              return make(describe_bag(call.bag->name, *open->bag, call.request.stop)) + "\n";
            });
          }};
}

}  // namespace

void add_info(Routes& routes, Served& served) {
  routes.add(about(served, "/bags/{bag}/info", "The format, the size, the times and the channels",
                   [](const BagInfo& info) {
                     return info_json({&info, 1});
                   }));
  routes.add(about(served, "/bags/{bag}/topics", "The topics, with types, numbers and rates",
                   topics_json));
  routes.add(about(served, "/bags/{bag}/schemas",
                   "The message definitions, and which topics use them",
                   [&served](const BagInfo& info) { return schemas_json(info, served.session); }));
}

}  // namespace kitbag::server
