#pragma once

#include <string>

#include "kitbag/catalog.h"

namespace kitbag::server {

/// The name of a bag of a catalog: the begin of its fingerprint, and the name of its file.
std::string catalog_name(const CatalogBag& bag);

}  // namespace kitbag::server
