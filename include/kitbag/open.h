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
/// Returns a path or URI as people and logs may see it: an address on a web server without user and
/// password, and with "..." for the values of parameters that may give access, such as the
/// signature of a presigned URL; anything else unchanged.
KITBAG_API std::string shown_path(const std::string& path);
/// Returns the name of the file at a path or URI, without folders: of an address on a web server
/// without parameters and %XX; of a folder without "/" at its end. Empty if there is none.
KITBAG_API std::string name_at(const std::string& path);
/// Returns `uri` with one more parameter, its value percent-encoded.
KITBAG_API std::string with_parameter(const std::string& uri, std::string_view name,
                                      std::string_view value);

}  // namespace kitbag
