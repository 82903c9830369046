#pragma once

#include "kitbag/bag.h"
#include "kitbag/registry.h"

namespace kitbag::mcap {

/// A bag that comes out of a pipe.
///
/// It is read once, from its beginning to its end: nothing is known of it before, and there is one
/// Source. Channels appear as they come. Messages are given as stored or by log time; for the
/// latter, two chunks are in memory, as when a file is read, and a third one with messages before
/// those already given is an error: a pipe cannot be sorted without storing it. Damage ends the
/// stream; everything intact before it is given.
BagPtr open_stream(const Input& input, const ReadOptions& options);

}  // namespace kitbag::mcap
