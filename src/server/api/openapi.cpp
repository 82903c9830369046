#include <fmt/format.h>

#include <map>
#include <string>

#include "kitbag/escape.h"
#include "server/api/bag_api.h"
#include "server/http/words.h"

// The description of the API (OpenAPI 3.1), made from the routes themselves.

namespace kitbag::server {
namespace {

/// Of the API, not of the program: it grows when a client could notice.
constexpr std::string_view kApiVersion = "1";

std::string parameter_text(std::string_view name, std::string_view place, const std::string& schema,
                           std::string_view meaning, bool is_required) {
  return fmt::format(
      "{{\"name\": {}, \"in\": \"{}\", \"required\": {}, \"schema\": {}, \"description\": {}}}",
      json_quoted(name), place, is_required, schema, json_quoted(meaning));
}

std::string schema_text(std::string_view type) {
  return fmt::format("{{\"type\": \"{}\"}}", type);
}

/// A list is given as a parameter for each of its elements.
std::string schema_text(const Parameter& parameter) {
  std::string one = schema_text(parameter.type);
  return parameter.is_list ? fmt::format("{{\"type\": \"array\", \"items\": {}}}", one) : one;
}

/// Those in the path, then those in the query.
std::string parameters_text(const Route& route) {
  std::string text;
  auto add = [&](const std::string& parameter) { text += (text.empty() ? "" : ", ") + parameter; };
  for (std::size_t at = route.path.find('{'); at != std::string::npos;
       at = route.path.find('{', at + 1)) {
    std::string name = route.path.substr(at + 1, route.path.find('}', at) - at - 1);
    add(parameter_text(name, "path", schema_text("string"),
                       name == "bag" ? "name of the bag" : name, true));
  }
  for (const Parameter& each : route.parameters) {
    add(parameter_text(each.name, "query", schema_text(each), each.meaning, false));
  }
  return text;
}

std::string operation_text(const Route& route) {
  std::string content;
  if (!route.media_type.empty()) {
    content = fmt::format(", \"content\": {{\"{}\": {{}}}}", route.media_type);
  }
  std::string body;
  if (route.method == "POST") {
    body = "\"requestBody\": {\"required\": true, \"content\": {\"application/json\": {}}}, ";
  }
  return fmt::format(
      "\"{}\": {{\"summary\": {}, \"parameters\": [{}], {}\"responses\": {{"
      "\"200\": {{\"description\": \"the answer\"{}}}, "
      "\"default\": {{\"description\": \"{{\\\"error\\\": \\\"...\\\"}}: what is wrong\", "
      "\"content\": {{\"application/json\": {{}}}}}}}}}}",
      lowered(route.method), json_quoted(route.summary), parameters_text(route), body, content);
}

std::string openapi_text(const Routes& routes) {
  std::map<std::string, std::string> paths;
  for (const Route& route : routes.all()) {
    std::string& operations = paths[route.path];
    operations += (operations.empty() ? "" : ", ") + operation_text(route);
  }
  std::string text = fmt::format(
      "{{\n  \"openapi\": \"3.1.0\",\n"
      "  \"info\": {{\"title\": \"kitbag serve\", \"version\": \"{}\"}},\n  \"paths\": {{",
      kApiVersion);
  bool is_first = true;
  for (const auto& [path, operations] : paths) {
    text += fmt::format("{}\n    {}: {{{}}}", is_first ? "" : ",", json_quoted(path), operations);
    is_first = false;
  }
  return text + "\n  }\n}\n";
}

}  // namespace

void add_openapi(Routes& routes, Served& served) {
  routes.add({.method = "GET",
              .path = "/openapi.json",
              .summary = "This description",
              .media_type = "application/json",
              .answer = [&routes, &served](const Call&) {
                Response response = text_response(200, "application/json", openapi_text(routes));
                return std::move(response.set("Cache-Control", cache_control(served, true)));
              }});
}

}  // namespace kitbag::server
