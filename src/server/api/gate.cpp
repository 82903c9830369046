#include "server/api/gate.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <ifaddrs.h>
#include <netdb.h>
#include <sys/socket.h>

#include <algorithm>
#include <optional>

#include "kitbag/base64.h"
#include "kitbag/bytes.h"
#include "server/api/url.h"
#include "server/http/web_socket.h"
#include "server/http/words.h"

// What each check is against:
//
//   Host     DNS rebinding: when the name evil.example suddenly leads to 127.0.0.1, its page and
//            this server are of one origin for the browser; but requests name evil.example
//   Origin   pages of other sites: CORS keeps them from reading answers, but not from sending,
//            and not from opening WebSockets
//   JSON     forms of other sites, which the browser sends without asking; none can send JSON
//   token    everybody else who reaches the address
//
// The order matters: a wrong host gets no further, and preflights come before the token, since
// browsers send them without credentials.

namespace kitbag::server {
namespace {

/// "robot.local:8080" of "https://robot.local:8080/x".
std::string host_of(std::string_view url) {
  std::size_t scheme = url.find("://");
  if (scheme != std::string_view::npos) url.remove_prefix(scheme + 3);
  return lowered(url.substr(0, url.find('/')));
}

/// Whether a page of this server asks.
bool is_own(const std::string& origin, const Request& request) {
  const std::string* host = request.header("host");
  return host && host_of(origin) == lowered(*host);
}

/// The addresses of this machine.
std::vector<std::string> own_addresses() {
  std::vector<std::string> addresses;
  ifaddrs* all = nullptr;
  if (::getifaddrs(&all) != 0) return addresses;
  for (ifaddrs* each = all; each; each = each->ifa_next) {
    if (!each->ifa_addr) continue;
    int family = each->ifa_addr->sa_family;
    if (family != AF_INET && family != AF_INET6) continue;
    socklen_t size = family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
    char text[NI_MAXHOST];
    if (::getnameinfo(each->ifa_addr, size, text, sizeof(text), nullptr, 0, NI_NUMERICHOST) == 0) {
      addresses.emplace_back(text);
    }
  }
  ::freeifaddrs(all);
  return addresses;
}

/// The password of "Basic dXNlcjpwYXNz".
std::optional<std::string> basic_password(std::string_view encoded) {
  auto bytes = decode_base64(encoded);
  if (!bytes) return std::nullopt;
  std::string_view text = as_text(*bytes);
  std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  return std::string(text.substr(colon + 1));
}

}  // namespace

Gate::Gate(GateOptions options, const LinkSigner& signer)
    : options_(std::move(options)), signer_(signer) {
  auto add = [this](const std::string& host) {
    hosts_.insert(host);
    hosts_.insert(fmt::format("{}:{}", host, options_.port));
  };
  for (const char* host : {"localhost", "127.0.0.1", "[::1]"}) add(host);
  bool is_any = options_.address == "0.0.0.0" || options_.address == "::";
  for (const std::string& address : own_addresses()) {
    if (is_any) add(host_text(address.substr(0, address.find('%'))));
  }
  if (!is_any) add(host_text(options_.address));
  if (!options_.public_url.empty()) hosts_.insert(host_of(options_.public_url));
}

bool Gate::lets_in(const Request& request, Response& refusal) const {
  // Who watches the server asks an address, and has no token.
  bool is_read = request.method == "GET" || request.method == "HEAD";
  if (is_read && request.path == std::vector<std::string>{"healthz"}) return true;
  const std::string* host = request.header("host");
  if (host && hosts_.count(lowered(*host)) == 0) {
    refusal = error_response(
        403, "this server is not called \"" + *host + "\"; set its public URL if it is");
    return false;
  }
  const std::string* origin = request.header("origin");
  if (request.method == "OPTIONS") {
    refusal = {};
    refusal.status = origin && is_origin_allowed(*origin) ? 204 : 403;
    if (refusal.status == 204) {
      refusal.set("Access-Control-Allow-Methods", "GET, HEAD, POST, DELETE")
          .set("Access-Control-Allow-Headers",
               "Authorization, Content-Type, Range, If-Range, If-Match, If-None-Match")
          .set("Access-Control-Max-Age", "600");
    }
    refusal.set("Cache-Control", "no-store");
    return false;
  }
  // Browsers do not apply CORS to WebSockets: the server has to check the origin.
  if (is_upgrade(request) && origin && !is_own(*origin, request) && !is_origin_allowed(*origin)) {
    refusal = error_response(403, "pages of this origin may not connect; see --allow-origin");
    return false;
  }
  bool is_change = request.method == "POST" || request.method == "DELETE";
  if (is_change && !may_change(request, refusal)) return false;
  if (!has_token(request) && !signer_.has_cookie(request) && !signer_.has_signature(request)) {
    refusal = error_response(401, "a token is needed");
    // The player page asks for the token itself; the browser would do it first.
    if (!request.header("x-requested-with")) {
      refusal.set("WWW-Authenticate", "Basic realm=\"kitbag\"");
    }
    return false;
  }
  return true;
}

/// A page of any origin can send a form here without asking, but no JSON; and without a token
/// everybody who reaches this machine would control the robot. Browsers ask before a DELETE.
bool Gate::may_change(const Request& request, Response& refusal) const {
  const std::string* type = request.header("content-type");
  const std::string* origin = request.header("origin");
  bool is_json = type && lowered(type->substr(0, type->find(';'))) == "application/json";
  if (options_.token.empty()) {
    refusal = error_response(403, "without --token this server takes no " + request.method);
  } else if (origin && !is_own(*origin, request) && !is_origin_allowed(*origin)) {
    refusal = error_response(403, "pages of this origin may only read; see --allow-origin");
  } else if (request.method == "POST" && !is_json) {
    refusal = error_response(415, "a POST needs Content-Type: application/json");
  } else {
    return true;
  }
  return false;
}

void Gate::add_headers(const Request& request, Response& response) const {
  bool is_let_in = !options_.token.empty() && response.status < 400;
  // A page that was opened with the token in its URL need not have it in others.
  if (is_let_in && request.parameter("token") && has_token(request)) {
    response.set("Set-Cookie", signer_.cookie(request.is_tls));
  }
  if (is_let_in && signer_.has_signature(request)) response.set("Cache-Control", "no-store");
  const std::string* origin = request.header("origin");
  if (!origin || !is_origin_allowed(*origin)) return;
  response.set("Access-Control-Allow-Origin", *origin)
      .set("Access-Control-Expose-Headers",
           "Accept-Ranges, Content-Range, Content-Length, ETag, Content-Disposition, Kitbag-Time, "
           "Kitbag-Count, Kitbag-Damage, Retry-After, Link");
}

bool Gate::is_origin_allowed(const std::string& origin) const {
  const auto& allowed = options_.allowed_origins;
  return std::any_of(allowed.begin(), allowed.end(),
                     [&](const std::string& each) { return each == "*" || each == origin; });
}

bool Gate::has_token(const Request& request) const {
  if (options_.token.empty()) return true;
  if (const std::string* parameter = request.parameter("token")) {
    return equal_in_constant_time(*parameter, options_.token);
  }
  const std::string* header = request.header("authorization");
  if (!header) return false;
  // RFC 9110, 11.1 and 11.4: a scheme in any case, spaces, and what it needs.
  std::string_view value = *header;
  std::string scheme = lowered(take_until(value, ' '));
  value = trimmed(value);
  if (scheme == "bearer") return equal_in_constant_time(value, options_.token);
  if (scheme != "basic") return false;
  auto password = basic_password(value);
  return password && equal_in_constant_time(*password, options_.token);
}

}  // namespace kitbag::server
