#include "server/http/web_socket.h"

#include <algorithm>
#include <cctype>

namespace kitbag::server {
namespace {

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ') || text.starts_with('\t')) text.remove_prefix(1);
  while (text.ends_with(' ') || text.ends_with('\t')) text.remove_suffix(1);
  return text;
}

/// Whether one of the elements of a header is `wanted`, whose letters are small.
bool has_element(const std::string* header, std::string_view wanted, bool is_case_sensitive) {
  if (!header) return false;
  std::string_view rest = *header;
  while (!rest.empty()) {
    std::size_t comma = std::min(rest.find(','), rest.size());
    std::string element(trimmed(rest.substr(0, comma)));
    if (!is_case_sensitive) {
      for (char& c : element) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    if (element == wanted) return true;
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  return false;
}

}  // namespace

bool is_upgrade(const Request& request) {
  return has_element(request.header("upgrade"), "websocket", false);
}

Response upgrade(const Request& request, const std::vector<std::string_view>& known,
                 const MakeSession& make) {
  const std::string* version = request.header("sec-websocket-version");
  bool is_sound = request.method == "GET" && is_upgrade(request) &&
                  has_element(request.header("connection"), "upgrade", false) &&
                  request.header("sec-websocket-key") && version && *version == "13";
  if (!is_sound) {
    Response response = error_response(426, "this path is for WebSockets");
    response.set("Upgrade", "websocket").set("Sec-WebSocket-Version", "13");
    return response;
  }
  const std::string* offered = request.header("sec-websocket-protocol");
  for (std::string_view each : known) {
    if (!has_element(offered, each, true)) continue;
    Response response;
    response.status = 101;
    response.subprotocol = each;
    response.session = make(each);
    return response;
  }
  std::string names;
  for (std::string_view each : known) names += (names.empty() ? "" : ", ") + std::string(each);
  return error_response(400, "unknown subprotocol; offer one of: " + names);
}

}  // namespace kitbag::server
