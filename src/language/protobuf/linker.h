#pragma once

#include "language/protobuf/descriptors.h"
#include "language/protobuf/symbols.h"

namespace kitbag::protobuf {

/// Fills in what the fields of all files refer to, and checks that the files hold together as far
/// as readers of payloads rely on it. Throws Error: corrupt if they do not; unsupported if a file
/// is in a later syntax; limit if they are more than anybody has written.
void link(Files& files, Symbols& symbols);

}  // namespace kitbag::protobuf
