#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "kitbag/time.h"

// A directory leaves as an uncompressed tar (POSIX.1-2001, pax): its length is known before it is
// read, and a range of it is a range of its files.

namespace kitbag::server {

/// What stands before the content of a regular file. `size` may be any.
std::string tar_header(std::string_view path, std::uint64_t size, Time modified);
/// The zeros behind the content of a file of that size.
std::string tar_padding(std::uint64_t size);
/// What stands at the end.
std::string tar_end();

}  // namespace kitbag::server
