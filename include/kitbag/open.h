#pragma once

#include <memory>
#include <optional>
#include <string>

#include "kitbag/registry.h"

namespace kitbag {

/// Returns a registry with everything that is built in: formats, codecs, languages and transports.
KITBAG_API Registry standard_registry();

/// Parses a URI with another scheme, such as "demo://?seconds=5". Returns nothing for paths and
/// `file://` URIs.
KITBAG_API std::optional<Location> location_of(const std::string& uri);
/// Returns `uri` without its parameters, one of which may be a secret: for messages and files.
KITBAG_API std::string without_parameters(const std::string& uri);
/// Returns `uri` with one more parameter, its value percent-encoded.
KITBAG_API std::string with_parameter(const std::string& uri, std::string_view name,
                                      std::string_view value);

}  // namespace kitbag
