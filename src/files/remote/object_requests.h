#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "files/remote/ranges.h"
#include "kitbag/file.h"

namespace kitbag::remote {

/// What is asked of a store about one object.
struct ObjectCall {
  std::string method = "GET";
  std::vector<std::pair<std::string, std::string>> query = {};  ///< decoded
  std::map<std::string, std::string> headers = {};              ///< names in lower case
  std::shared_ptr<const ReadFile> content = nullptr;            ///< what is sent with it
};

/// An object, and the requests by which it is written. Any thread.
class ObjectRequests : public Address {
 public:
  using Address::request;
  /// Returns a signed request, which is valid for a short time.
  virtual Request request(const ObjectCall& call) const = 0;
};

using ObjectRequestsPtr = std::shared_ptr<const ObjectRequests>;

}  // namespace kitbag::remote
