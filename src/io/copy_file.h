#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "kitbag/file_system.h"

namespace kitbag {

/// Appends all of `from`, which is called `name` in errors, to `to`. `on_copied` is called with the
/// bytes of each piece; what it throws ends the copying. Throws Error: io; truncated if `from` ends
/// before its size.
void copy_file(const ReadFile& from, WriteFile& to, const std::string& name,
               const std::function<void(std::size_t bytes)>& on_copied = {});

}  // namespace kitbag
