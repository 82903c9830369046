#pragma once

#include "io/output/output.h"

namespace kitbag {

/// Direct output where the file system can and the machine lets us, otherwise buffered. That is
/// found out by a real write: flags and version numbers lie, above all in containers and on network
/// file systems. Takes what make_output() takes. Throws Error (io), std::bad_alloc.
std::unique_ptr<Output> make_direct_output(Descriptor file, std::string path, std::uint64_t size,
                                           const DirectLimits& limits);

}  // namespace kitbag
