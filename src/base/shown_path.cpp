#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "kitbag/escape.h"

// An address on a web server is more than a name: it may hold a password, or a signature with which
// anybody can read the file. Such addresses are typed by people, and printed in logs.

namespace kitbag {
namespace {

/// Parameters that may be shown; whatever else a service calls its keys, it is not among these.
constexpr std::array<std::string_view, 11> kHarmless = {"t",
                                                        "start",
                                                        "end",
                                                        "topic",
                                                        "topics",
                                                        "format",
                                                        "bag",
                                                        "path",
                                                        "version",
                                                        "versionId",
                                                        "response-content-type"};

bool is_harmless(std::string_view name) {
  return std::find(kHarmless.begin(), kHarmless.end(), name) != kHarmless.end();
}

std::string shown_url(std::string_view url) {
  std::string shown;
  std::size_t scheme = url.find("://");
  std::size_t host = scheme == std::string_view::npos ? 0 : scheme + 3;
  std::size_t path = std::min(url.find_first_of("/?#", host), url.size());
  std::size_t user = url.substr(0, path).rfind('@');
  shown += url.substr(0, host);
  if (user != std::string_view::npos && user >= host) host = user + 1;
  std::size_t query = std::min(url.find('?', path), url.size());
  shown += url.substr(host, query - host);
  char sign = '?';
  std::string_view rest = url.substr(std::min(query + 1, url.size()));
  while (!rest.empty()) {
    std::string_view pair = rest.substr(0, rest.find('&'));
    rest.remove_prefix(std::min(pair.size() + 1, rest.size()));
    std::size_t equals = std::min(pair.find('='), pair.size());
    std::string_view name = pair.substr(0, equals);
    shown += sign;
    shown += name;
    if (equals < pair.size()) shown += is_harmless(name) ? pair.substr(equals) : "=...";
    sign = '&';
  }
  return shown;
}

}  // namespace

std::string shown_path(const std::string& path) {
  bool is_url = path.starts_with("http://") || path.starts_with("https://");
  return is_url ? shown_url(path) : path;
}

}  // namespace kitbag
