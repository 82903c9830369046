#include "server/api/list_item.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <array>
#include <ctime>
#include <string_view>
#include <utility>

#include "kitbag/escape.h"
#include "server/api/url.h"
#include "server/bags/seconds.h"

// A bag in a list, with a link for each viewer that opens files by their URL. The link leads to the
// bag as an MCAP (/view/NAME.mcap). If the server has a token, the link is signed for this bag
// alone: a viewer is a page of another site, and whoever gets the link can read nothing else.

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

}  // namespace

std::string list_item(const Served& served, const BagEntry& bag, const std::string& base_url,
                      const std::string& more) {
  std::string text;
  bool is_local = served.options.uses_local_time;
  text += fmt::format(
      "  {{\n    \"filename\": {},\n    \"size\": \"{}\",\n    \"size_bytes\": {},\n"
      "    \"end\": \"{}\",\n    \"download_url\": {}",
      json_quoted(bag.name), short_size(bag.size_bytes), bag.size_bytes,
      list_time(bag.end, is_local),
      json_quoted(base_url + "/bags/" + encode_segment(bag.name) + "/download"));
  if (bag.error.empty()) {
    auto duration = saturating_difference(bag.start, bag.end);
    text += fmt::format(
        ",\n    \"start_time\": {},\n    \"end_time\": {},\n    \"duration\": {},\n"
        "    \"messages\": {},\n    \"topics\": {}",
        seconds_text(bag.start), seconds_text(bag.end), seconds_text(duration), bag.messages,
        bag.topics);
    add_viewers(view_url_of(served, bag, base_url), text);
  } else {
    text += ",\n    \"error\": " + json_quoted(bag.error);
  }
  if (bag.is_recording) text += ",\n    \"recording\": true";
  if (!bag.damage.sentences().empty()) text += ",\n    \"damaged\": true";
  return text + more + "\n  }";
}

}  // namespace kitbag::server
