#pragma once

#include <string>

#include "kitbag/bag.h"
#include "kitbag/session.h"

namespace kitbag::catalog {

/// Returns what identifies the content of a bag, in 64 hexadecimal digits, without reading all of
/// it: sizes, the first and the last 64 KiB of each of its files, where formats have their headers
/// and indexes, and what the summary says of its channels. Names of files are no part of it. Throws
/// Error (io).
std::string fingerprint(const std::string& path, const Bag& bag, const Session& session);

}  // namespace kitbag::catalog
