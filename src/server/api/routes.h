#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "server/bags/bag_list.h"
#include "server/http/message.h"

// The routes of the API: which paths there are, what they take, and who answers. A kind of answer
// is one file that adds its routes here. The same rows answer requests, refuse what no route takes,
// and describe the API in /openapi.json, so that the description cannot differ from what is served.

namespace kitbag::server {

/// A parameter in the query of a URL.
struct Parameter {
  std::string name;
  std::string type;  ///< of its value in JSON Schema: "string", "integer" or "number"
  std::string meaning;
  bool is_list = false;  ///< it may be given several times; all others, once
};
/// Parameter::is_list.
inline constexpr bool kList = true;

/// A request, with what its path names.
struct Call {
  const Request& request;
  BagEntryPtr bag = nullptr;                      ///< of {bag}; null: the path has none
  std::map<std::string, std::string> names = {};  ///< of other parts in braces
};

struct Route {
  std::string method;  ///< "GET", which answers HEAD too, "POST" or "DELETE"
  /// "/bags/{bag}/download/{file}": segments in braces stand for any text; {bag} is the name of a
  /// bag, which is looked up before `answer` is called.
  std::string path;
  std::string summary;
  std::string media_type;                  ///< of the answer
  std::vector<Parameter> parameters = {};  ///< a request with another one is refused
  bool takes_any_parameter = false;        ///< viewers add some of their own to URLs of files
  int unknown_bag = 400;                   ///< the status for a name that no bag has
  std::function<Response(const Call& call)> answer;
};

/// Any thread, once all routes were added.
class Routes {
 public:
  /// `find` returns the bag with a name; null: there is none.
  explicit Routes(std::function<BagEntryPtr(std::string_view name)> find)
      : find_(std::move(find)) {}

  void add(Route route);
  const std::vector<Route>& all() const { return routes_; }

  /// Answers by the route that fits: 404 without one, 405 for another method, 400 for a parameter
  /// that the route does not have, or that is given twice and is no list. Passes on what the route
  /// throws.
  Response handle(const Request& request) const;

 private:
  std::vector<Route> routes_;
  std::function<BagEntryPtr(std::string_view name)> find_;
};

}  // namespace kitbag::server
