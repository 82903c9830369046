#pragma once

#include <string>

#include "server/api/served.h"

namespace kitbag::server {

/// A bag in a list, as a JSON object. `more` are further members, each with a comma before it.
std::string list_item(const Served& served, const BagEntry& bag, const std::string& base_url,
                      const std::string& more = {});

}  // namespace kitbag::server
