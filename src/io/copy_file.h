#pragma once

#include <string>

#include "kitbag/file_system.h"

namespace kitbag {

/// Appends all of `from`, which is called `name` in errors, to `to`. Throws Error: io; truncated if
/// `from` ends before its size.
void copy_file(const ReadFile& from, WriteFile& to, const std::string& name);

}  // namespace kitbag
