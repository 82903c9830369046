#pragma once

#include <memory>
#include <optional>
#include <string>

#include "kitbag/registry.h"

namespace kitbag {

/// The formats that are built in.
KITBAG_API Registry standard_registry();

/// The path that `uri` means: itself, or what a `file://` URI holds, its %XX decoded.
/// Throws Error: unsupported for another scheme, invalid for a file on another machine.
KITBAG_API std::string path_of(const std::string& uri);

/// What a URI of another scheme says, such as "demo://?seconds=5"; nothing for paths and files.
KITBAG_API std::optional<Location> location_of(const std::string& uri);
/// `uri` with that parameter besides.
KITBAG_API std::string with_parameter(const std::string& uri, std::string_view name,
                                      std::string_view value);

}  // namespace kitbag
