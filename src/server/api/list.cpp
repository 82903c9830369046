#include <fmt/chrono.h>
#include <fmt/format.h>

#include <array>
#include <ctime>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>

#include "kitbag/escape.h"
#include "server/api/bag_api.h"
#include "server/api/url.h"
#include "server/bags/seconds.h"
#include "server/http/encoding.h"
#include "server/http/ranges.h"

namespace kitbag::server {
namespace {

/// "6.8KB": the largest unit of which there is one, with one decimal.
std::string short_size(std::uint64_t bytes) {
  constexpr std::array<const char*, 4> kUnits = {"B", "KB", "MB", "GB"};
  if (bytes < 1024) return fmt::format("{}B", bytes);
  double size = static_cast<double>(bytes);
  std::size_t unit = 0;
  // 1023.95 would be shown as "1024.0".
  while (size >= 1023.95 && unit + 1 < kUnits.size()) {
    size /= 1024;
    ++unit;
  }
  return fmt::format("{:.1f}{}", size, kUnits[unit]);
}

/// "31-Oct-2023 14:36:17", with English names whatever the locale is.
std::string list_time(Time time, bool is_local) {
  constexpr std::array<const char*, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                   "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  auto seconds = std::chrono::floor<std::chrono::seconds>(time).time_since_epoch().count();
  auto value = static_cast<std::time_t>(seconds);
  std::tm parts{};
  is_local ? localtime_r(&value, &parts) : gmtime_r(&value, &parts);
  return fmt::format("{:02}-{}-{:04} {:02}:{:02}:{:02}", parts.tm_mday,
                     kMonths[static_cast<std::size_t>(parts.tm_mon)], parts.tm_year + 1900,
                     parts.tm_hour, parts.tm_min, parts.tm_sec);
}

/// Viewers that open a file by its URL, and what they want before it.
constexpr std::array<std::pair<const char*, const char*>, 3> kViewers = {{
    {"lichtblick", "https://lichtblick-suite.github.io/lichtblick/?ds=remote-file&ds.url="},
    {"foxglove", "https://app.foxglove.dev/~/view?ds=remote-file&ds.url="},
    {"rerun", "https://rerun.io/viewer?url="},
}};

void add_viewers(const std::string& view_url, std::string& text) {
  text += ",\n    \"view_url\": " + json_quoted(view_url) + ",\n    \"open\": {";
  std::string_view divider;
  for (auto [viewer, begin] : kViewers) {
    text += fmt::format("{}\n      \"{}\": {}", divider, viewer,
                        json_quoted(begin + encode_segment(view_url)));
    divider = ",";
  }
  text += "\n    }";
}

/// Viewers run on other sites, where the token must not go.
std::string view_url_of(const Served& served, const BagEntry& bag, const std::string& base_url) {
  std::string file = bag.name + ".mcap";
  std::string query = served.signer.query_for("view", file);
  return fmt::format("{}/view/{}{}{}", base_url, encode_segment(file), query.empty() ? "" : "?",
                     query);
}

void add_bag(const Served& served, const BagEntry& bag, const std::string& base_url,
             std::string& text) {
  bool is_local = served.options.uses_local_time;
  fmt::format_to(std::back_inserter(text),
                 "  {{\n    \"filename\": {},\n    \"size\": \"{}\",\n    \"size_bytes\": {},\n"
                 "    \"end\": \"{}\",\n    \"download_url\": {}",
                 json_quoted(bag.name), short_size(bag.size_bytes), bag.size_bytes,
                 list_time(bag.end, is_local),
                 json_quoted(base_url + "/bags/" + encode_segment(bag.name) + "/download"));
  if (bag.error.empty()) {
    auto duration = saturating_difference(bag.start, bag.end);
    fmt::format_to(std::back_inserter(text),
                   ",\n    \"start_time\": {},\n    \"end_time\": {},\n    \"duration\": {},\n"
                   "    \"messages\": {},\n    \"topics\": {}",
                   seconds_text(bag.start), seconds_text(bag.end), seconds_text(duration),
                   bag.messages, bag.topics);
    add_viewers(view_url_of(served, bag, base_url), text);
  } else {
    text += ",\n    \"error\": " + json_quoted(bag.error);
  }
  if (bag.is_recording) text += ",\n    \"recording\": true";
  if (!bag.damage.sentences().empty()) text += ",\n    \"damaged\": true";
  text += "\n  }";
}

std::string list_text(const Served& served, const BagSnapshot& snapshot,
                      const std::string& base_url) {
  std::string text = "[";
  for (const BagEntryPtr& bag : snapshot.bags) {
    text += text.size() == 1 ? "\n" : ",\n";
    add_bag(served, *bag, base_url, text);
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
    std::string text = list_text(served_, *snapshot, base_url);
    std::string etag = fmt::format("\"list-{:x}\"", std::hash<std::string>()(text));
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
  auto list = std::make_shared<ListAnswer>(served);
  routes.add({.method = "GET",
              .path = "/bags/",
              .summary = "All bags, the oldest first",
              .media_type = "application/json",
              .takes_any_parameter = true,
              .answer = [list](const Call& call) { return (*list)(call.request); }});
  routes.add({.method = "GET",
              .path = "/bags",
              .summary = "Redirects to /bags/",
              .media_type = "",
              .takes_any_parameter = true,
              .answer = [&served](const Call& call) {
                return redirect(base_url(served, call.request) + "/bags/");
              }});
  routes.add({.method = "GET",
              .path = "/healthz",
              .summary = "Whether the server answers",
              .media_type = "text/plain",
              .takes_any_parameter = true,
              .answer = [](const Call&) {
                Response response = text_response(200, "text/plain", "ok\n");
                return std::move(response.set("Cache-Control", "no-store"));
              }});
}

}  // namespace kitbag::server
