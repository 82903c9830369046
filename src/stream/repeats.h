#pragma once

#include <cstdint>
#include <memory>

#include "kitbag/bag.h"
#include "kitbag/stream.h"

/// When several bags are read as one, what a recorder has repeated in them (is_repeated()) is left
/// out of all but the first.
namespace kitbag {

/// How many messages of a bag are repeats.
std::uint64_t repeats_in(const Summary& summary);

/// A bag has channels of repeats.
bool has_repeats(const Channels& channels);

/// `source` without the channels of repeats.
std::unique_ptr<Source> without_repeats(std::unique_ptr<Source> source);

}  // namespace kitbag
