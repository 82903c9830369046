#pragma once

#include <cstdint>
#include <memory>

#include "kitbag/bag.h"
#include "kitbag/stream.h"

/// What a recorder has repeated at the beginning of a file (is_repeated()).
namespace kitbag {

/// How many messages of a bag are repeats.
std::uint64_t repeats_in(const Summary& summary);

/// A bag has channels of repeats.
bool has_repeats(const Channels& channels);

/// `source` without the channels of repeats.
std::unique_ptr<Source> without_repeats(std::unique_ptr<Source> source);

}  // namespace kitbag
