#pragma once

#include "language/protobuf/descriptors.h"
#include "language/protobuf/symbols.h"

namespace kitbag::protobuf {

/// Fills in what the fields of all files refer to, and checks that the files hold together as far
/// as readers of payloads rely on it. `symbols` is empty before; then both point at each other.
/// Throws Error: corrupt if the files do not hold together; unsupported if one is in a later
/// syntax; limit if they are more than anybody has written.
void link(Files& files, Symbols& symbols);

}  // namespace kitbag::protobuf
