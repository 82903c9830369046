#include "server/api/routes.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "kitbag/error.h"
#include "kitbag/escape.h"

// A path is split at its slashes before it is decoded (http/message.cpp), so a name may hold a
// slash. Routes are tried in the order in which they were added: there are a few dozen of them, so
// a tree would save nothing.
//
// A parameter that no route knows is refused, instead of ignored: "start-time" for "start_time"
// would get the whole bag. Routes for browsers, monitors and viewers take any, since these add
// their own.

namespace kitbag::server {
namespace {

/// What shows that somebody may ask: server/api/gate.h. Every route takes it.
bool is_credential(std::string_view name) {
  return name == "token" || name == "expires" || name == "signature";
}

bool is_name(std::string_view segment) {
  return segment.starts_with('{') && segment.ends_with('}');
}

/// What a path gives for the names in a route's path; absent: the path is another one.
std::optional<std::map<std::string, std::string>> match(std::string_view route,
                                                        const std::vector<std::string>& path) {
  std::map<std::string, std::string> names;
  route.remove_prefix(1);
  for (const std::string& segment : path) {
    // Null is the end of the route. An empty text is a last segment that is empty, as in "/bags/".
    if (route.data() == nullptr) return std::nullopt;
    std::size_t end = route.find('/');
    std::string_view wanted = route.substr(0, end);
    if (is_name(wanted) && !segment.empty()) {
      names.emplace(wanted.substr(1, wanted.size() - 2), segment);
    } else if (wanted != segment) {
      return std::nullopt;
    }
    route = end == std::string_view::npos ? std::string_view() : route.substr(end + 1);
  }
  if (route.data() != nullptr) return std::nullopt;
  return names;
}

/// What comes twice would be half ignored, and nobody would notice.
void check_parameters(const Route& route, const Request& request) {
  std::set<std::string_view> given;
  for (const auto& [name, value] : request.query) {
    auto is_it = [&wanted = name](const Parameter& each) { return each.name == wanted; };
    auto parameter = std::find_if(route.parameters.begin(), route.parameters.end(), is_it);
    if (parameter != route.parameters.end()) {
      if (given.insert(name).second || parameter->is_list) continue;
      throw Error(ErrorCode::invalid, fmt::format("{} is given twice", name));
    }
    if (is_credential(name) || route.takes_any_parameter) continue;
    std::string known;
    for (const Parameter& each : route.parameters) {
      known += (known.empty() ? "; there are " : ", ") + each.name;
    }
    throw Error(ErrorCode::invalid,
                fmt::format("unknown parameter \"{}\"{}", escaped(name), known));
  }
}

}  // namespace

void Routes::add(Route route) {
  routes_.push_back(std::move(route));
}

Response Routes::handle(const Request& request) const {
  std::string_view method = request.method == "HEAD" ? "GET" : std::string_view(request.method);
  std::string allowed;
  for (const Route& route : routes_) {
    auto names = match(route.path, request.path);
    if (!names) continue;
    if (route.method != method) {
      allowed += (allowed.empty() ? "" : ", ") + route.method;
      if (route.method == "GET") allowed += ", HEAD";
      continue;
    }
    Call call{request, nullptr, std::move(*names)};
    if (auto named = call.names.find("bag"); named != call.names.end()) {
      call.bag = find_(named->second);
      if (!call.bag) {
        return error_response(route.unknown_bag,
                              fmt::format("there is no bag \"{}\"", escaped(named->second)));
      }
    }
    check_parameters(route, request);
    return route.answer(call);
  }
  if (allowed.empty()) return error_response(404, "there is nothing at this path");
  Response response = error_response(405, fmt::format("only {} is possible here", allowed));
  return std::move(response.set("Allow", allowed));
}

}  // namespace kitbag::server
