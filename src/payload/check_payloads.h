#pragma once

#include <cstdint>
#include <string>

#include "kitbag/bag.h"
#include "kitbag/session.h"

namespace kitbag {

/// Decodes the first `most` messages of each channel of `bag`, in the order of the file, and
/// reports each channel that has some which do not fit their definition. Channels whose messages
/// cannot be decoded are passed over: their definitions are missing, or were reported already.
/// `path` names the bag in the findings. Throws Error (cancelled) if `options.stop` is requested.
void check_payloads(const Bag& bag, std::uint64_t most, const std::string& path,
                    const ReadOptions& options, const Session& session);

}  // namespace kitbag
