#pragma once

#include "kitbag/bag.h"
#include "kitbag/registry.h"

namespace kitbag::mcap {

/// A bag that comes out of a pipe.
///
/// It is read from its beginning to its end, once: nothing is known of it before, and there is one
/// Source. Channels appear as they come. Messages are given as stored or by log time; for that two
/// chunks are in memory, as when a file is read, and a third that reaches behind what was given is
/// an error: a pipe cannot be sorted without storing it. Damage ends the stream; what is whole
/// before it is given.
BagPtr open_stream(const Input& input, const ReadOptions& options);

}  // namespace kitbag::mcap
